package booking

import (
	"encoding/json"
	"fmt"

	"holdfast/internal/catalog"
	"holdfast/internal/customer"
	"holdfast/internal/timetable"
	"holdfast/internal/timezone"
)

// FromRow returns the booking of a row.
func FromRow(row *Row) (Booking, error) {
	loc, err := timezone.Load(row.TimeZone)
	if err != nil {
		return Booking{}, err
	}
	b := Booking{
		ID:                 row.BookingID,
		Code:               row.Code,
		ServiceID:          row.ServiceID,
		ResourceID:         row.ResourceID,
		Status:             Status(row.Status),
		Date:               row.Date,
		StartsAt:           row.StartsAt.In(loc),
		EndsAt:             row.EndsAt.In(loc),
		Location:           loc,
		PartySize:          int(row.PartySize),
		Nights:             int(row.Nights),
		HoldExpiresAt:      row.HoldExpiresAt,
		Price:              row.Price,
		Deposit:            row.Deposit,
		Currency:           row.Currency,
		Version:            row.Version + row.Movements,
		CancellationFee:    row.CancellationFee,
		CancellationFeeSet: row.CancellationFeeSet,
		CancellationReason: row.CancellationReason,
		CreatedAt:          row.CreatedAt,
		UpdatedAt:          row.UpdatedAt,
		busyFrom:           row.BusyFrom,
		busyUntil:          row.BusyUntil,
		sessionID:          row.SessionID,
		furtherIDs:         row.OtherResourceIds,
		LinkRevision:       int(row.LinkRevision),
		StatusTimes: StatusTimes{
			ConfirmedAt: row.ConfirmedAt, CancelledAt: row.CancelledAt, CompletedAt: row.CompletedAt,
			NoShowAt:  row.NoShowAt,
			ExpiredAt: row.ExpiredAt,
		},
		Balance: Balance{
			Paid:       row.Paid,
			Refunded:   row.Refunded,
			Returning:  row.Returning,
			Lowered:    row.Lowered,
			LoweredFee: row.LoweredFee,
		},
		storedVersion: row.Version,
	}
	if b.Details, err = detailsOf(row.Details); err != nil {
		return Booking{}, err
	}
	if b.Items, err = itemsOf(row.Items); err != nil {
		return Booking{}, err
	}
	if b.Terms, err = catalog.TermsOf(row.Terms); err != nil {
		return Booking{}, err
	}
	if row.CustomerID != nil {
		if err := b.setCustomerOf(row); err != nil {
			return Booking{}, err
		}
	}
	b.updateDue(row.ReadAt)
	return b, nil
}

// fromRows returns the bookings of rows that were read with err.
func fromRows(rows []Row, err error) ([]Booking, error) {
	if err != nil {
		return nil, err
	}
	list := make([]Booking, len(rows))
	for i := range rows {
		if list[i], err = FromRow(&rows[i]); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// setCustomerOf sets the customer of a row, which has one, with the booking's contact. Without a contact the customer
// is shown as it is known: it was erased.
func (b *Booking) setCustomerOf(row *Row) error {
	b.Known = customer.Customer{ID: *row.CustomerID, Email: row.Email, Name: row.Name, Phone: row.Phone,
		TimeZone: row.CustomerTimeZone,
		Birthday: row.Birthday}
	b.Customer = b.Known
	given, err := ParseContact(row.Contact)
	if err != nil || given == nil {
		return err
	}
	b.Customer = contactOf(b.Known, customer.Customer{
		Name: given.Name, Email: given.Email, Phone: given.Phone, TimeZone: given.TimeZone, Language: given.Language,
	})
	return nil
}

// storedContact returns the contact as it is stored, nil for a booking without a customer and for one whose customer
// was erased.
func (b Booking) storedContact() (json.RawMessage, error) {
	c := b.Customer
	if !b.HasCustomer() || c.IsErased() {
		return nil, nil
	}
	stored, err := json.Marshal(ContactBody{
		Name: c.Name, Email: c.Email, Phone: c.Phone, TimeZone: c.TimeZone, Language: c.Language,
	})
	if err != nil {
		return nil, fmt.Errorf("encode a booking's contact: %w", err)
	}
	return stored, nil
}

// storedPrice returns the booking's items and its terms as they are stored.
func (b Booking) storedPrice() (items, terms json.RawMessage, err error) {
	if items, err = json.Marshal(append([]timetable.Item{}, b.Items...)); err != nil {
		return nil, nil, fmt.Errorf("encode a booking's items: %w", err)
	}
	terms, err = b.Terms.Stored()
	return items, terms, err
}

// itemsOf reads a booking's items as they are stored.
func itemsOf(stored json.RawMessage) (items []timetable.Item, err error) {
	if len(stored) == 0 || string(stored) == "[]" {
		return nil, nil
	}
	if err := json.Unmarshal(stored, &items); err != nil {
		return nil, fmt.Errorf("read a booking's items: %w", err)
	}
	return items, nil
}

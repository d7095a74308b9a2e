package person

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/change"
	"holdfast/internal/customer"
	"holdfast/internal/tenant"
)

// Bounds of each list of an export, and with them of the memory and the time that an export takes.
const (
	maxExported      = 1000
	maxExportedBytes = 4 << 20 // of what clients chose
)

// ExportBody is what is stored of a customer. Amounts are minor units, times are UTC.
type ExportBody struct {
	Customer customer.DetailsBody  `json:"customer"`
	Bookings []booking.BookingBody `json:"bookings" doc:"By date."`
	Payments []ExportedPayment     `json:"payments" doc:"Of these bookings, and what the customer paid for bookings that somebody else has now, by their last change."`
	Wallets  []ExportedWallet      `json:"wallets"`
	Events   []ExportedEvent       `json:"scheduled_events" doc:"What is planned, and what was done, about the customer and these bookings, by time."`
	History  []ExportedChange      `json:"history" doc:"Of the customer, of customers who were merged into it, and of these and former bookings while they were the customer's, by time."`
	More     []string              `json:"more,omitempty" enum:"bookings,payments,wallets,wallet_entries,scheduled_events,history" doc:"The lists that are cut here, after 1,000 rows or 4 MB. Page through the rest with the operations that list them."`
}

// ExportedPayment is a payment or refund in an export.
type ExportedPayment struct {
	ID         uuid.UUID  `json:"id" format:"uuid"`
	BookingID  uuid.UUID  `json:"booking_id" format:"uuid"`
	Kind       string     `json:"kind" example:"deposit"`
	Status     string     `json:"status" example:"succeeded"`
	Amount     int64      `json:"amount" example:"50000" doc:"In minor units of the currency."`
	Currency   string     `json:"currency" example:"EUR"`
	Method     string     `json:"payment_method,omitempty" example:"pm_ok"`
	Provider   string     `json:"provider" example:"stripe"`
	ProviderID *string    `json:"provider_id,omitempty" example:"pi_3NqX"`
	Note       *string    `json:"note,omitempty" example:"Taken by Ann, receipt 4711" doc:"Of offline money: what was written when it was recorded."`
	MovedAt    *time.Time `json:"moved_at,omitempty" doc:"Of offline money: when it was received or handed back."`
	RefundOf   *uuid.UUID `json:"refund_of,omitempty" format:"uuid"`
	WalletID   *uuid.UUID `json:"wallet_id,omitempty" format:"uuid"`
	Automatic  bool       `json:"automatic,omitempty" doc:"A refund that Holdfast made by itself."`
	CreatedAt  time.Time  `json:"created_at"`
	UpdatedAt  time.Time  `json:"updated_at"`
	// Metadata are nil if there are none, and if somebody else paid.
	Metadata map[string]string `json:"metadata,omitempty" doc:"Of the payment, as its request had them. Absent if somebody else paid."`
	// Payer is nil if somebody else paid.
	Payer *booking.ContactBody `json:"payer,omitempty" doc:"The contact that the booking had when this was paid, as the receipt shows it. Absent if somebody else paid, and of refunds."`
}

// ExportedWallet is a wallet in an export.
type ExportedWallet struct {
	ID       uuid.UUID       `json:"id" format:"uuid"`
	Currency string          `json:"currency" example:"EUR"`
	Balance  int64           `json:"balance" example:"5000" doc:"In minor units, with credit that has expired since the last entry."`
	Held     int64           `json:"held" example:"0"`
	Entries  []ExportedEntry `json:"entries" doc:"The oldest first."`
}

// ExportedEntry is an entry of a wallet in an export.
type ExportedEntry struct {
	Version    int64      `json:"version" example:"2"`
	Type       string     `json:"type" example:"credited"`
	Amount     int64      `json:"amount" example:"5000"`
	Balance    int64      `json:"balance" example:"5000" doc:"After the entry."`
	BookingID  *uuid.UUID `json:"booking_id,omitempty" format:"uuid"`
	PaymentID  *uuid.UUID `json:"payment_id,omitempty" format:"uuid"`
	Reason     *string    `json:"reason,omitempty" example:"goodwill"`
	Reference  *string    `json:"reference,omitempty" example:"order-4711"`
	OccurredAt time.Time  `json:"occurred_at"`
}

// ExportedEvent is a scheduled event in an export.
type ExportedEvent struct {
	ID         uuid.UUID `json:"id" format:"uuid"`
	Kind       string    `json:"kind" example:"message.email"`
	Occurrence string    `json:"occurrence,omitempty" example:"1d@18:00/2027-07-01T08:00:00Z" doc:"Which of its kind and subject: for an email its kind and what it is about, for a greeting the year, for a reminder its times."`
	Subject    string    `json:"subject_type" example:"booking"`
	SubjectID  uuid.UUID `json:"subject_id" format:"uuid"`
	Status     string    `json:"status" example:"completed"`
	DueAt      time.Time `json:"due_at"`
	UpdatedAt  time.Time `json:"updated_at" doc:"When it became so."`
}

// ExportedChange is an entry of a history in an export.
type ExportedChange struct {
	Subject   string    `json:"subject_type" example:"booking"`
	SubjectID uuid.UUID `json:"subject_id" format:"uuid"`
	change.HistoryEntry
}

// Export returns what is stored of a customer, also of an erased one. It takes no lock. Errors: problem.NotFound,
// problem.DatabaseUnavailable.
func (s *Service) Export(ctx context.Context, t tenant.Tenant, id uuid.UUID) (ExportBody, error) {
	rows, err := s.exported(ctx, t.ID, id)
	if err != nil {
		return ExportBody{}, err
	}
	body := ExportBody{
		Customer: customer.DetailsFromRow(*rows.customer).Body(), Bookings: []booking.BookingBody{},
		Payments: []ExportedPayment{},
		Wallets:  []ExportedWallet{},
		Events:   []ExportedEvent{}, History: []ExportedChange{},
	}
	if rows.moreBookings {
		body.More = append(body.More, "bookings")
	}
	for i := range rows.bookings {
		_, b, err := booking.BodyOf(&rows.bookings[i])
		if err != nil {
			return body, err
		}
		body.Bookings = append(body.Bookings, b)
	}
	for _, p := range showable(&body, "payments", rows.payments) {
		payer, err := booking.ParseContact(p.Contact)
		if err != nil {
			return body, err
		}
		var metadata map[string]string
		if len(p.Metadata) > 0 {
			if err := json.Unmarshal(p.Metadata, &metadata); err != nil {
				return body, fmt.Errorf("read the metadata of a payment: %w", err)
			}
		}
		body.Payments = append(body.Payments, ExportedPayment{
			ID:         p.PaymentID,
			BookingID:  p.BookingID,
			Kind:       p.Kind,
			Status:     p.Status,
			Amount:     p.Amount,
			Currency:   p.Currency,
			Method:     p.Method,
			Provider:   p.Provider,
			ProviderID: p.ProviderID,
			Note:       p.Note,
			MovedAt:    utc(p.MovedAt),
			RefundOf:   p.RefundOf,
			WalletID:   p.WalletID,
			Automatic:  p.Automatic,
			CreatedAt:  p.CreatedAt.UTC(),
			UpdatedAt:  p.UpdatedAt.UTC(),
			Payer:      payer,
			Metadata:   metadata,
		})
	}
	entries := map[uuid.UUID][]ExportedEntry{}
	for _, e := range showable(&body, "wallet_entries", rows.entries) {
		entries[e.WalletID] = append(entries[e.WalletID], ExportedEntry{
			Version:    e.Version,
			Type:       e.Type,
			Amount:     e.Amount,
			Balance:    e.Balance,
			BookingID:  e.BookingID,
			PaymentID:  e.PaymentID,
			Reason:     e.Reason,
			Reference:  e.Reference,
			OccurredAt: e.OccurredAt.UTC(),
		})
	}
	for _, w := range showable(&body, "wallets", rows.wallets) {
		body.Wallets = append(body.Wallets, ExportedWallet{
			ID: w.WalletID, Currency: w.Currency, Balance: w.Balance, Held: w.Held,
			Entries: append([]ExportedEntry{}, entries[w.WalletID]...),
		})
	}
	for _, e := range showable(&body, "scheduled_events", rows.events) {
		body.Events = append(body.Events, ExportedEvent{
			ID:         e.EventID,
			Kind:       e.Kind,
			Occurrence: e.Occurrence,
			Subject:    e.SubjectType,
			SubjectID:  e.SubjectID,
			Status:     e.Status,
			DueAt:      e.DueAt.UTC(),
			UpdatedAt:  e.UpdatedAt.UTC(),
		})
	}
	if rows.moreChanges {
		body.More = append(body.More, "history")
	}
	body.History, err = exportedChanges(rows.changes)
	return body, err
}

// exportedChanges returns the entries of the histories. The entry with which a booking came to the customer shows
// nothing of before, and the one with which it went shows nothing of after.
func exportedChanges(rows []changeRow) ([]ExportedChange, error) {
	type stay struct {
		subject uuid.UUID
		since   int64
	}
	last := map[stay]*change.Record{}
	list := []ExportedChange{}
	for _, r := range rows {
		of := stay{r.SubjectID, r.Since}
		c := &change.Record{
			SubjectID:   r.SubjectID,
			Version:     r.Version,
			SubjectType: r.SubjectType,
			Type:        r.Type,
			ApiKeyID:    r.ApiKeyID,
			RequestID:   r.RequestID,
			UserID:      r.UserID,
			Operator:    r.Operator,
			OccurredAt:  r.OccurredAt,
			Data:        r.Data,
		}
		entry, err := change.Entry(last[of], c)
		if err != nil {
			return nil, err
		}
		if last[of] = c; r.Leaves {
			entry.After = nil
		}
		list = append(list, ExportedChange{Subject: r.SubjectType, SubjectID: r.SubjectID, HistoryEntry: entry})
	}
	return list, nil
}

// showable returns the rows of a list that the export shows, and notes in it that there are more.
func showable[T any](body *ExportBody, list string, rows []T) []T {
	if len(rows) <= maxExported {
		return rows
	}
	body.More = append(body.More, list)
	return rows[:maxExported]
}

func utc(at *time.Time) *time.Time {
	if at == nil {
		return nil
	}
	return new(at.UTC())
}

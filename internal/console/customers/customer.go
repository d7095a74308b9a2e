package customers

import (
	"net/http"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/console/frame"
	"holdfast/internal/customer"
	"holdfast/internal/event"
	"holdfast/internal/message"
	"holdfast/internal/operation"
	"holdfast/internal/wallet"
	"holdfast/internal/web"
)

// maxWalletsOfCustomer bounds the wallets that the page of a customer shows: there is one in each currency, and more
// after merges.
const maxWalletsOfCustomer = 50

// customerPage is a customer with all that belongs to it.
type customerPage struct {
	customer.Details

	Path     string
	Location *time.Location // of the tenant
	Gone     bool           // erased, or merged into another one
	Into     string         // path of the customer that it was merged into
	Bookings []frame.BookingRow
	Next     string // path of the page with the bookings that follow
	Wallets  []ownWalletRow
	History  []frame.HistoryRow
	Messages []event.Scheduled
	Upcoming []message.Upcoming
	// MayBook, MayChange, MayMoney and MayAdmin say what the person's role lets do.
	MayBook, MayChange, MayMoney, MayAdmin bool
	NewWallet                              string // path of the page that makes a wallet
}

func (s section) showCustomer(v *frame.Visit) error {
	found, err := s.customerOfPath(v, "id")
	if err != nil {
		return err
	}
	page := customerPage{
		Details:   found,
		Path:      v.CustomerPath(found.ID),
		Location:  v.Tenant().Location,
		Gone:      found.CheckPresent() != nil,
		MayBook:   v.May(operation.ScopeBook),
		MayChange: v.May(operation.ScopeCustomers),
		MayMoney:  v.May(operation.ScopeMoney),
		MayAdmin:  v.May(operation.ScopeAdmin),
		NewWallet: v.Path("payments", "wallets", "new") + "?customer=" + found.ID.String(),
	}
	if found.MergedInto != nil {
		page.Into = v.CustomerPath(*found.MergedInto)
	}
	if err := s.addBookings(v, &page); err != nil {
		return err
	}
	wallets, err := s.Wallets.List(v.Context(), v.Tenant(), &found.ID, uuid.Nil, maxWalletsOfCustomer)
	if err != nil {
		return err
	}
	for _, w := range wallets {
		page.Wallets = append(page.Wallets, ownWalletRow{w, v.Path("payments", "wallets", w.ID.String())})
	}
	if page.History, err = s.HistoryOf(v, found.ID, v.Tenant().Location); err != nil {
		return err
	}
	if page.Messages, page.Upcoming, err = s.MessagesOf(v, found.ID); err != nil {
		return err
	}
	return s.Render(v, http.StatusOK, "customer", found.Name, page)
}

// addBookings adds the customer's bookings, by date.
func (s section) addBookings(v *frame.Visit, page *customerPage) error {
	f := booking.Filter{CustomerID: &page.ID, Limit: frame.PageSize + 1}
	var err error
	if f.AfterDate, f.AfterID, err = v.AfterDate(); err != nil {
		return err
	}
	list, err := s.Bookings.List(v.Context(), v.Tenant(), f)
	if err != nil {
		return err
	}
	list, page.Next = web.Page(v, list, frame.PageSize, frame.BookingKey)
	page.Bookings, err = s.Rows(v, list)
	return err
}

// ownWalletRow is a wallet of the customer.
type ownWalletRow struct {
	wallet.Wallet

	URL string
}

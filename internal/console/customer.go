package console

import (
	"net/http"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/customer"
	"holdfast/internal/event"
	"holdfast/internal/message"
	"holdfast/internal/operation"
	"holdfast/internal/wallet"
	"holdfast/internal/web"
)

// maxWalletsOfCustomer bounds the wallets that the page of a customer shows: there is one in each currency, and more after merges.
const maxWalletsOfCustomer = 50

// customerPage is a customer with all that belongs to it.
type customerPage struct {
	customer.Details

	Path     string
	Location *time.Location // of the tenant
	Gone     bool           // erased, or merged into another one
	Into     string         // path of the customer that it was merged into
	Bookings []bookingRow
	Next     string // path of the page with the bookings that follow
	Wallets  []ownWalletRow
	History  []historyRow
	Messages []event.Scheduled
	Upcoming []message.Upcoming
	// MayBook, MayChange, MayMoney and MayAdmin say what the person's role lets do.
	MayBook, MayChange, MayMoney, MayAdmin bool
	NewWallet                              string // path of the page that makes a wallet
}

func (c *Console) showCustomer(v *visit) error {
	found, err := c.customerOfPath(v, "id")
	if err != nil {
		return err
	}
	page := customerPage{
		Details: found, Path: v.customerPath(found.ID), Location: v.tenant().Location, Gone: found.CheckPresent() != nil,
		MayBook:   v.May(operation.ScopeBook),
		MayChange: v.May(operation.ScopeCustomers), MayMoney: v.May(operation.ScopeMoney),
		MayAdmin:  v.May(operation.ScopeAdmin),
		NewWallet: v.path("payments", "wallets", "new") + "?customer=" + found.ID.String(),
	}
	if found.MergedInto != nil {
		page.Into = v.customerPath(*found.MergedInto)
	}
	if err := c.addBookings(v, &page); err != nil {
		return err
	}
	wallets, err := c.Wallets.List(v.ctx(), v.tenant(), &found.ID, uuid.Nil, maxWalletsOfCustomer)
	if err != nil {
		return err
	}
	for _, w := range wallets {
		page.Wallets = append(page.Wallets, ownWalletRow{w, v.path("payments", "wallets", w.ID.String())})
	}
	if page.History, err = c.history(v, found.ID, v.tenant().Location); err != nil {
		return err
	}
	if page.Messages, page.Upcoming, err = c.messages(v, found.ID); err != nil {
		return err
	}
	return c.render(v, http.StatusOK, "customer", found.Name, page)
}

// addBookings adds the customer's bookings, by date.
func (c *Console) addBookings(v *visit, page *customerPage) error {
	f := booking.Filter{CustomerID: &page.ID, Limit: pageSize + 1}
	var err error
	if f.AfterDate, f.AfterID, err = v.afterDate(); err != nil {
		return err
	}
	list, err := c.Bookings.List(v.ctx(), v.tenant(), f)
	if err != nil {
		return err
	}
	list, page.Next = web.Page(v, list, pageSize, bookingKey)
	page.Bookings, err = c.rows(v, list)
	return err
}

// ownWalletRow is a wallet of the customer.
type ownWalletRow struct {
	wallet.Wallet

	URL string
}

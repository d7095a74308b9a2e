package bookings

import (
	"net/http"
	"slices"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/console/form"
	"holdfast/internal/console/frame"
	"holdfast/internal/idempotency"
	"holdfast/internal/operation"
	"holdfast/internal/payment"
	"holdfast/internal/problem"
)

// endPage asks whether a booking is to be ended, and says what that costs the customer.
type endPage struct {
	booking.Booking

	Path   string
	How    booking.Transition
	NoShow bool
	// Quote is what a cancellation would cost now; nil for one who doesn't come.
	Quote *payment.CancellationQuote
	// Offline says that a part of the refund may be money that a person hands back.
	Offline  bool
	Policy   bool
	MayMoney bool
}

// howToEnd returns how the path asks to end a booking. Errors: problem.NotFound.
func howToEnd(v *frame.Visit) (booking.Transition, error) {
	switch how := booking.Transition(v.C.Param("how")); how {
	case booking.Cancel, booking.MarkNoShow:
		return how, nil
	default:
		return "", problem.Missing()
	}
}

func (s section) askToEnd(v *frame.Visit) error {
	how, err := howToEnd(v)
	if err != nil {
		return err
	}
	b, err := s.BookingOfPath(v)
	if err != nil {
		return err
	}
	page := endPage{
		Booking: b, Path: v.BookingPath(b.ID, "end", string(how)), How: how, NoShow: how == booking.MarkNoShow,
		Policy: b.Status == booking.Held || b.CancellationPolicy.Given(), MayMoney: v.May(operation.ScopeMoney),
	}
	if how == booking.Cancel {
		quote, err := s.Payments.CancellationQuote(v.Context(), v.Tenant().ID, b.ID)
		if err != nil {
			return err
		}
		page.Quote = &quote
		payments, err := s.Payments.List(v.Context(), v.Tenant().ID, b.ID, uuid.Nil, maxPayments)
		if err != nil {
			return err
		}
		page.Offline = quote.Refund > 0 && slices.ContainsFunc(payments, func(p payment.Payment) bool {
			return p.OfflineMethod() != "" && p.RefundOf == nil
		})
	}
	title := "Cancel booking " + b.Code
	if page.NoShow {
		title = "Nobody came: booking " + b.Code
	}
	return s.Render(v, http.StatusOK, "end", title, page)
}

func (s section) end(v *frame.Visit) error {
	how, err := howToEnd(v)
	if err != nil {
		return err
	}
	b, err := s.BookingOfPath(v)
	if err != nil {
		return err
	}
	var end booking.CancelRequest
	if reason := v.Form.Get("reason"); reason != "" && how == booking.Cancel {
		end.Reason = &reason
	}
	if text := v.Form.Get("fee"); text != "" {
		fee, err := form.MinorUnits("fee", text, b.Currency)
		if err != nil {
			return err
		}
		end.Fee = &fee
	}
	if how == booking.Cancel && end.Fee == nil {
		if end.ExpectFee, err = shown(v); err != nil {
			return err
		}
	}
	_, err = s.Once(v, func(r idempotency.Request) (idempotency.Outcome, error) {
		return s.Bookings.End(v.Context(), v.Tenant(), r, b.ID, how, end, v.Version())
	})
	if err != nil {
		return err
	}
	return v.Done(string(how), v.BookingPath(b.ID))
}

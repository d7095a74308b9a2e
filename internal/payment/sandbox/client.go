package sandbox

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"

	"holdfast/internal/payment"
	"holdfast/internal/tracing"
)

// ClientConfig configures a Client.
type ClientConfig struct {
	// URL is the sandbox's address, as Server.URL returns it.
	URL string
	// Key is the sandbox's Config.Key.
	Key string
	// WebhookSecret is the sandbox's. Without it every event is rejected.
	WebhookSecret string
	// KeyLifetime is the sandbox's. Default DefaultKeyLifetime.
	KeyLifetime time.Duration
}

// Client is the payment.Provider for a sandbox. It doesn't retry, and its only time limits are those of the contexts.
type Client struct {
	cfg     ClientConfig
	http    *http.Client
	account string // the account in which it acts; empty for the platform's own
}

const (
	maxIdleConns = 64
	maxResponse  = 4 << 20 // enough for a page of transactions
	clientIdle   = time.Minute
)

// NewClient returns a client of a sandbox. The sandbox may start later.
func NewClient(cfg ClientConfig) *Client {
	cfg.KeyLifetime = cmp.Or(cfg.KeyLifetime, DefaultKeyLifetime)
	cfg.URL = strings.TrimSuffix(cfg.URL, "/")
	return &Client{cfg: cfg, http: &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		// Shorter than the server's idle timeout, so that no request is sent on a connection that the server closes.
		Transport: tracing.Transport(&http.Transport{MaxIdleConnsPerHost: maxIdleConns, IdleConnTimeout: clientIdle}),
	}}
}

var _ payment.Provider = (*Client)(nil)

// Name is "sandbox".
func (c *Client) Name() string { return "sandbox" }

// KeyLifetime is how long the sandbox remembers an idempotency key from its first use.
func (c *Client) KeyLifetime() time.Duration { return c.cfg.KeyLifetime }

// Account returns the client as it acts in an account.
func (c *Client) Account(id string) payment.Provider {
	in := *c
	in.account = id
	return &in
}

// Charge charges a test method, or opens a page on which a person says what happens. An order sent again returns the
// first outcome, even if that was Processing and the charge has ended since: FindCharge returns the present state.
//
// Errors: a *payment.NotDone if the sandbox was not reached or rejected the request; after any other error the outcome
// is unknown.
func (c *Client) Charge(ctx context.Context, o payment.ChargeOrder) (payment.Outcome, error) {
	var made charge
	err := c.order(ctx, "/v1/charges", o.Key, chargeRequest{
		Reference:      reference(o.Reference),
		Amount:         o.Amount,
		Currency:       o.Currency,
		Method:         o.Method,
		Checkout:       (*checkout)(o.Checkout),
		Description:    o.Description,
		ApplicationFee: o.ApplicationFee,
		Metadata:       o.Metadata,
	}, &made)
	if err != nil {
		return payment.Outcome{}, fmt.Errorf("charge at the sandbox: %w", err)
	}
	return made.outcome()
}

// Refund refunds part or all of a charge. A refund of more than the rest is Declined. Errors are those of Charge.
func (c *Client) Refund(ctx context.Context, o payment.RefundOrder) (payment.Outcome, error) {
	var made refund
	err := c.order(ctx, "/v1/refunds", o.Key, refundRequest{
		Reference: reference(o.Reference), Charge: o.ChargeID, Amount: o.Amount, Currency: o.Currency,
		ReturnFee: o.ReturnFee,
	}, &made)
	if err != nil {
		return payment.Outcome{}, fmt.Errorf("refund at the sandbox: %w", err)
	}
	return made.outcome()
}

// FindCharge looks up a charge by the sandbox's id or by our reference. If an order was carried out again after its key
// expired, the charge that succeeded is returned.
//
// An error means that the sandbox could not be called.
func (c *Client) FindCharge(ctx context.Context, ref payment.Reference, providerID string) (payment.Outcome, error) {
	found, err := find[charge](ctx, c, "/v1/charges", ref, providerID)
	if err != nil {
		return payment.Outcome{}, fmt.Errorf("look a charge up at the sandbox: %w", err)
	}
	return strongest(found)
}

// FindRefund looks up a refund, as FindCharge does. It needs no chargeID.
func (c *Client) FindRefund(ctx context.Context, ref payment.Reference, providerID, _ string) (payment.Outcome, error) {
	found, err := find[refund](ctx, c, "/v1/refunds", ref, providerID)
	if err != nil {
		return payment.Outcome{}, fmt.Errorf("look a refund up at the sandbox: %w", err)
	}
	return strongest(found)
}

// CancelCharge cancels a charge that waits for its customer. If an order was carried out more than once, all its
// charges are cancelled.
//
// After an error the charge may be cancelled or not.
func (c *Client) CancelCharge(ctx context.Context, ref payment.Reference, providerID string) (payment.Outcome, error) {
	found, err := find[charge](ctx, c, "/v1/charges", ref, providerID)
	for i := range found {
		if err != nil || found[i].Status != requiresAction {
			continue
		}
		var ended charge
		err = c.call(ctx, http.MethodPost, "/v1/charges/"+url.PathEscape(found[i].ID)+"/cancel", "", nil, &ended)
		found[i] = ended
	}
	if err != nil {
		return payment.Outcome{}, fmt.Errorf("cancel a charge at the sandbox: %w", err)
	}
	return strongest(found)
}

func find[T any](ctx context.Context, c *Client, path string, ref payment.Reference, id string) ([]T, error) {
	if id == "" {
		query := url.Values{tenantParameter: {ref.TenantID.String()}, idParameter: {ref.ID.String()}}
		var found list[T]
		err := c.call(ctx, http.MethodGet, path+"?"+query.Encode(), "", nil, &found)
		return found.Data, err
	}
	var found T
	err := c.call(ctx, http.MethodGet, path+"/"+url.PathEscape(id), "", nil, &found)
	if failure, ok := errors.AsType[*apiError](err); ok && failure.Code == codeNotFound {
		return nil, nil
	}
	return []T{found}, err
}

type chargeOrRefund interface {
	outcome() (payment.Outcome, error)
}

// strongest returns the most important outcome: Succeeded before Processing before Declined before Absent.
func strongest[T chargeOrRefund](found []T) (payment.Outcome, error) {
	order := []payment.Result{payment.Succeeded, payment.Processing, payment.Declined, payment.Absent}
	first := payment.Outcome{Result: payment.Absent}
	for _, f := range found {
		o, err := f.outcome()
		if err != nil {
			return payment.Outcome{}, err
		}
		if slices.Index(order, o.Result) < slices.Index(order, first.Result) {
			first = o
		}
	}
	return first, nil
}

// Transactions lists the captures and refunds of [from, until), oldest first.
func (c *Client) Transactions(ctx context.Context, from, until time.Time,
) iter.Seq2[payment.ProviderTransaction, error] {
	return func(yield func(payment.ProviderTransaction, error) bool) {
		query := url.Values{
			fromParameter:  {from.UTC().Format(time.RFC3339Nano)},
			untilParameter: {until.UTC().Format(time.RFC3339Nano)},
		}
		for {
			var page list[transaction]
			if err := c.call(ctx, http.MethodGet, "/v1/movements?"+query.Encode(), "", nil, &page); err != nil {
				yield(payment.ProviderTransaction{}, fmt.Errorf("list the movements at the sandbox: %w", err))
				return
			}
			for _, m := range page.Data {
				if !yield(payment.ProviderTransaction{
					Refund: m.Type == typeRefund, Reference: payment.Reference(m.Reference), ProviderID: m.ID,
					Amount: m.Amount, Currency: m.Currency, At: m.At,
				}, nil) {
					return
				}
			}
			if page.NextCursor == "" {
				return
			}
			query.Set(cursorParameter, page.NextCursor)
		}
	}
}

// Event verifies and reads a webhook of the sandbox. Signatures are valid for five minutes before and after now.
//
// Errors: payment.ErrSignature; payment.ErrIgnored for events of other kinds.
func (c *Client) Event(header http.Header, body []byte, now time.Time) (payment.Event, error) {
	if err := verify(c.cfg.WebhookSecret, header.Get(headerSignature), body, now); err != nil {
		return payment.Event{}, err
	}
	var e event
	if err := json.Unmarshal(body, &e); err != nil {
		return payment.Event{}, fmt.Errorf("read an event of the sandbox: %w", err)
	}
	read := payment.Event{ID: e.ID, Account: e.Account}
	var err error
	switch {
	case e.Charge != nil && (e.Type == chargeSucceeded || e.Type == chargeDeclined):
		read.Reference = payment.Reference(e.Charge.Reference)
		read.Outcome, err = e.Charge.outcome()
	case e.Refund != nil && (e.Type == refundSucceeded || e.Type == refundFailed):
		read.Refund, read.Reference = true, payment.Reference(e.Refund.Reference)
		read.Outcome, err = e.Refund.outcome()
	case e.Type == accountUpdated:
		read.AccountChanged, read.Reference.TenantID = true, e.TenantID
	default:
		err = payment.ErrIgnored
	}
	return read, err
}

// order sends an order, and returns *payment.NotDone if it was certainly not carried out.
func (c *Client) order(ctx context.Context, path, key string, params, into any) error {
	err := c.call(ctx, http.MethodPost, path, key, params, into)
	if errors.Is(err, errNotSent) {
		return &payment.NotDone{TryAgain: true, Err: err}
	}
	failure, ok := errors.AsType[*apiError](err)
	if !ok {
		return err
	}
	switch failure.Code {
	case codeRateLimited:
		return &payment.NotDone{TryAgain: true, Err: err}
	case codeUnknownMethod:
		return &payment.NotDone{Method: payment.UnknownMethod, Err: err}
	case codeInvalid, codeNotFound, codeNoAccount, codeUnauthorized, codeBodyTooLarge:
		return &payment.NotDone{Err: err}
	default: // a key in use or used for another order: an order may have been carried out under it
		return err
	}
}

// errNotSent: no byte of the request was sent.
var errNotSent = errors.New("the request wasn't sent")

// call sends a request and reads its response. Errors: errNotSent; an *apiError; any other error leaves open what the
// sandbox did.
func (c *Client) call(ctx context.Context, method, path, key string, params, into any) error {
	var sent []byte
	if params != nil {
		var err error
		if sent, err = json.Marshal(params); err != nil {
			return fmt.Errorf("%w: %w", errNotSent, err)
		}
	}
	var connected atomic.Bool
	trace := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected.Store(true) }}
	request, err := http.NewRequestWithContext(httptrace.WithClientTrace(ctx, trace), method, c.cfg.URL+path,
		bytes.NewReader(sent))
	if err != nil {
		return fmt.Errorf("%w: %w", errNotSent, err)
	}
	request.Header.Set("Authorization", "Bearer "+c.cfg.Key)
	if c.account != "" {
		request.Header.Set(headerAccount, c.account)
	}
	if params != nil {
		request.GetBody = nil // otherwise the transport repeats a request that has an idempotency key
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set(headerIdempotencyKey, key)
	}
	response, err := c.http.Do(request)
	if err != nil && !connected.Load() {
		return fmt.Errorf("%w: %w", errNotSent, err)
	}
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(response.Body, maxResponse))
	if err != nil {
		return err
	}
	if response.StatusCode == http.StatusOK || response.StatusCode == http.StatusCreated {
		return json.Unmarshal(raw, into)
	}
	var document errorDocument
	if err := json.Unmarshal(raw, &document); err != nil {
		return fmt.Errorf("answered %s, and not as the sandbox does", response.Status)
	}
	return &apiError{errorDetail: document.Error, status: response.StatusCode}
}

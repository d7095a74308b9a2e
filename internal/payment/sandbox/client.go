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
)

// ClientConfig says which sandbox a Client talks to.
type ClientConfig struct {
	// URL is the sandbox's, as Server.URL returns it.
	URL string
	// Key is the sandbox's Config.Key.
	Key string
	// WebhookSecret is the sandbox's; without one no event is believed.
	WebhookSecret string
	// KeyLifetime is the sandbox's. Default DefaultKeyLifetime.
	KeyLifetime time.Duration
}

// Client is the sandbox as a payment.Provider. It repeats no request by itself, and has no time limits but those of the
// contexts that it is given.
type Client struct {
	cfg  ClientConfig
	http *http.Client
}

const (
	maxIdleConns = 64
	maxResponse  = 4 << 20 // a page of movements is the largest
	clientIdle   = time.Minute
)

// NewClient returns a client of a sandbox, which may not run yet.
func NewClient(cfg ClientConfig) *Client {
	cfg.KeyLifetime = cmp.Or(cfg.KeyLifetime, DefaultKeyLifetime)
	cfg.URL = strings.TrimSuffix(cfg.URL, "/")
	return &Client{cfg: cfg, http: &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		// Shorter than the server keeps idle connections, so that the two don't cross.
		Transport: &http.Transport{MaxIdleConnsPerHost: maxIdleConns, IdleConnTimeout: clientIdle},
	}}
}

var _ payment.Provider = (*Client)(nil)

// Name is "sandbox".
func (c *Client) Name() string { return "sandbox" }

// KeyLifetime is how long the sandbox remembers an idempotency key from its first use.
func (c *Client) KeyLifetime() time.Duration { return c.cfg.KeyLifetime }

// Charge takes an amount from a test method. An order sent again gets the outcome of the first time: when that was
// Processing, it stays so, and only FindCharge tells what came of it.
//
// Errors: a *payment.NotDone when the sandbox wasn't reached or refused the request; after any other error it is unknown
// whether money moved.
func (c *Client) Charge(ctx context.Context, o payment.ChargeOrder) (payment.Outcome, error) {
	var made charge
	err := c.order(ctx, "/v1/charges", o.Key, chargeRequest{
		Reference: reference(o.Reference), Amount: o.Amount, Currency: o.Currency, Method: o.Method, Description: o.Description,
	}, &made)
	if err != nil {
		return payment.Outcome{}, fmt.Errorf("charge at the sandbox: %w", err)
	}
	return made.outcome()
}

// Refund returns an amount of a charge. More than is left of it is Declined. Errors as of Charge.
func (c *Client) Refund(ctx context.Context, o payment.RefundOrder) (payment.Outcome, error) {
	var made refund
	err := c.order(ctx, "/v1/refunds", o.Key, refundRequest{
		Reference: reference(o.Reference), Charge: o.ChargeID, Amount: o.Amount, Currency: o.Currency,
	}, &made)
	if err != nil {
		return payment.Outcome{}, fmt.Errorf("refund at the sandbox: %w", err)
	}
	return made.outcome()
}

// FindCharge looks a charge up by the sandbox's id of it, or by our reference. When an order was carried out more than
// once, after its key had expired, that which succeeded is found.
//
// Errors say that the sandbox could not be asked.
func (c *Client) FindCharge(ctx context.Context, ref payment.Reference, providerID string) (payment.Outcome, error) {
	found, err := find[charge](ctx, c, "/v1/charges", ref, providerID)
	if err != nil {
		return payment.Outcome{}, fmt.Errorf("look a charge up at the sandbox: %w", err)
	}
	return mostFinal(found, (*charge).outcome)
}

// FindRefund looks a refund up, as FindCharge does; it needs no chargeID.
func (c *Client) FindRefund(ctx context.Context, ref payment.Reference, providerID, _ string) (payment.Outcome, error) {
	found, err := find[refund](ctx, c, "/v1/refunds", ref, providerID)
	if err != nil {
		return payment.Outcome{}, fmt.Errorf("look a refund up at the sandbox: %w", err)
	}
	return mostFinal(found, (*refund).outcome)
}

// CancelCharge ends a charge that waits for its customer. An order that was carried out more than once is ended each time.
//
// Errors: after any, the charge may have ended or not.
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
	return mostFinal(found, (*charge).outcome)
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

// mostFinal returns the outcome that matters most: money that moved, else money that may move, else a decline.
func mostFinal[T any](found []T, outcome func(*T) (payment.Outcome, error)) (payment.Outcome, error) {
	order := []payment.Result{payment.Succeeded, payment.Processing, payment.Declined, payment.Absent}
	first := payment.Outcome{Result: payment.Absent}
	for i := range found {
		o, err := outcome(&found[i])
		if err != nil {
			return payment.Outcome{}, err
		}
		if slices.Index(order, o.Result) < slices.Index(order, first.Result) {
			first = o
		}
	}
	return first, nil
}

// Transactions lists what the journal holds from from up to but not including until, oldest first.
func (c *Client) Transactions(ctx context.Context, from, until time.Time) iter.Seq2[payment.ProviderTransaction, error] {
	return func(yield func(payment.ProviderTransaction, error) bool) {
		query := url.Values{
			fromParameter: {from.UTC().Format(time.RFC3339Nano)}, untilParameter: {until.UTC().Format(time.RFC3339Nano)},
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

// Event reads a webhook of the sandbox. Signatures are valid for five minutes before and after now.
//
// Errors: payment.ErrSignature, payment.ErrIgnored for events of other kinds.
func (c *Client) Event(header http.Header, body []byte, now time.Time) (payment.Event, error) {
	if err := verify(c.cfg.WebhookSecret, header.Get(headerSignature), body, now); err != nil {
		return payment.Event{}, err
	}
	var e event
	if err := json.Unmarshal(body, &e); err != nil {
		return payment.Event{}, fmt.Errorf("read an event of the sandbox: %w", err)
	}
	read := payment.Event{ID: e.ID}
	var err error
	switch {
	case e.Charge != nil && (e.Type == chargeSucceeded || e.Type == chargeDeclined):
		read.Reference = payment.Reference(e.Charge.Reference)
		read.Outcome, err = e.Charge.outcome()
	case e.Refund != nil && (e.Type == refundSucceeded || e.Type == refundFailed):
		read.Refund, read.Reference = true, payment.Reference(e.Refund.Reference)
		read.Outcome, err = e.Refund.outcome()
	default:
		err = payment.ErrIgnored
	}
	return read, err
}

// order sends an order and tells what is certain from what isn't.
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
	case codeInvalid, codeNotFound, codeUnauthorized, codeBodyTooLarge:
		return &payment.NotDone{Err: err}
	default: // a key that is in use or was used for another order says that something may have happened under it
		return err
	}
}

// apiError is an error document of the sandbox.
type apiError struct {
	errorDetail
	status string
}

func (r *apiError) Error() string { return fmt.Sprintf("%s: %s: %s", r.status, r.Code, r.Message) }

// errNotSent: not a byte of the request can have reached anybody.
var errNotSent = errors.New("the request wasn't sent")

// call sends a request and reads its answer. It returns errNotSent, a *refusal, or an error that leaves open what the
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
	request, err := http.NewRequestWithContext(httptrace.WithClientTrace(ctx, trace), method, c.cfg.URL+path, bytes.NewReader(sent))
	if err != nil {
		return fmt.Errorf("%w: %w", errNotSent, err)
	}
	request.Header.Set("Authorization", "Bearer "+c.cfg.Key)
	if params != nil {
		request.GetBody = nil // or the transport would repeat a request that has an idempotency key
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
	return &apiError{errorDetail: document.Error, status: response.Status}
}

// Command book books, repeats the request, lists bookings, and receives a webhook. It needs HOLDFAST_URL and
// HOLDFAST_API_KEY, and a server with demo data that may send webhooks to 127.0.0.1:
// HOLDFAST_WEBHOOK_ALLOW=127.0.0.0/8.
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/google/uuid"
	"github.com/oapi-codegen/runtime/types"

	holdfast "holdfast/clients/go"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := run(ctx); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	client, err := holdfast.New(os.Getenv("HOLDFAST_URL"), os.Getenv("HOLDFAST_API_KEY"))
	if err != nil {
		return err
	}
	service, startsAt, err := freeSlot(ctx, client)
	if err != nil {
		return err
	}

	// Book it. Repeating the request with its key gets the same booking.
	key := holdfast.IdempotencyKey(rand.Text())
	body := holdfast.NewBooking{
		ServiceID: service,
		StartsAt:  &startsAt,
		Customer:  &holdfast.NewCustomer{Name: "Ada Lovelace", Email: "ada@example.com"},
	}
	booking, err := client.CreateBooking(ctx, body, key)
	if err != nil {
		return err
	}
	fmt.Println("booked", booking.ID, booking.StartsAt)
	var response holdfast.Response
	again, err := client.CreateBooking(ctx, body, key, holdfast.ResponseTo(&response))
	if err != nil {
		return err
	}
	fmt.Println("again", again.ID == booking.ID, "replayed", response.Replayed)

	// A refusal has a code.
	_, err = client.GetBooking(ctx, uuid.New())
	if refused := new(holdfast.Error); errors.As(err, &refused) {
		fmt.Println("refused", refused.Status, refused.Code)
	}

	// List bookings, page by page.
	listed := 0
	for b, err := range holdfast.All(func(cursor *string) (*holdfast.BookingPage, error) {
		return client.ListBookings(ctx, holdfast.ListBookingsParams{Cursor: cursor, Limit: new(int64(1))})
	}) {
		if err != nil {
			return err
		}
		if b.ID == booking.ID {
			listed++
		}
	}
	fmt.Println("listed", listed)
	return receive(ctx, client)
}

// freeSlot returns a service and a slot of it that can be booked.
func freeSlot(ctx context.Context, client *holdfast.Client) (uuid.UUID, time.Time, error) {
	in := func(days int) types.Date { return types.Date{Time: time.Now().AddDate(0, 0, days)} }
	for service, err := range holdfast.All(func(cursor *string) (*holdfast.ServicePage, error) {
		return client.ListServices(ctx, holdfast.ListServicesParams{Cursor: cursor})
	}) {
		if err != nil {
			return uuid.Nil, time.Time{}, err
		}
		if service.Kind != "slot" {
			continue
		}
		days := holdfast.GetAvailabilityParams{From: in(2), To: in(30)}
		availability, err := client.GetAvailability(ctx, service.ID, days)
		if err != nil {
			return uuid.Nil, time.Time{}, err
		}
		for _, day := range availability.Data {
			for _, slot := range day.Slots {
				if slot.Remaining > 0 {
					return service.ID, slot.StartsAt, nil
				}
			}
		}
	}
	return uuid.Nil, time.Time{}, errors.New("nothing can be booked")
}

// receive adds a webhook endpoint, asks for a test event, and verifies it.
func receive(ctx context.Context, client *holdfast.Client) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	endpoint, err := client.CreateWebhookEndpoint(ctx, holdfast.NewEndpoint{
		URL: "http://" + listener.Addr().String() + "/webhooks", Types: []string{"booking.*"},
	})
	if err != nil {
		return err
	}
	verifier := holdfast.Verifier{Secrets: []string{*endpoint.Secret}}
	received := make(chan holdfast.ReceivedEvent, 1)
	handler := func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		event, notGenuine := verifier.Verify(body, r.Header)
		if err != nil || notGenuine != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		w.WriteHeader(http.StatusNoContent)
		received <- event
	}
	server := &http.Server{ReadHeaderTimeout: time.Second, Handler: http.HandlerFunc(handler)}
	go func() { _ = server.Serve(listener) }()
	defer func() { _ = server.Close() }()
	if _, err := client.PingWebhookEndpoint(ctx, endpoint.ID); err != nil {
		return err
	}
	select {
	case event := <-received:
		fmt.Println("received", event.Type)
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

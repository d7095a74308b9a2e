package holdfast_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	holdfast "holdfast/clients/go"
)

// readme is the code of README.md.
func readme(ctx context.Context, service uuid.UUID, startsAt time.Time) error {
	client, err := holdfast.New("http://127.0.0.1:8080", os.Getenv("KEY"))
	if err != nil {
		return err
	}
	booking, err := client.CreateBooking(ctx, holdfast.NewBooking{
		ServiceID: service,
		StartsAt:  &startsAt,
		Customer:  &holdfast.NewCustomer{Name: "Ada", Email: "ada@example.com"},
	})
	if err != nil {
		return err
	}
	held := holdfast.ListBookingsParams{Status: new(holdfast.ListBookingsParamsStatusHeld)}
	for b, err := range holdfast.All(func(cursor *string) (*holdfast.BookingPage, error) {
		held.Cursor = cursor
		return client.ListBookings(ctx, held)
	}) {
		if err != nil {
			return err
		}
		slog.Info("held", "id", b.ID, "starts_at", b.StartsAt)
	}

	var response holdfast.Response
	booking, err = client.GetBooking(ctx, booking.ID, holdfast.ResponseTo(&response))
	if err != nil {
		return err
	}
	change := holdfast.UpdateBooking{Reference: new("table 7")}
	booking, err = client.UpdateBooking(ctx, booking.ID, change, holdfast.IfMatch(response.ETag))
	if refused := new(holdfast.Error); errors.As(err, &refused) && refused.Code == holdfast.ErrorCodeVersionMismatch {
		slog.Info("changed meanwhile", "now", refused.Problem.Current)
	}
	_ = booking
	return err
}

func TestREADME_Code_StandsInThisFileAndCompiles(t *testing.T) {
	t.Parallel()
	require.NotNil(t, readme)
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	source, err := os.ReadFile("readme_test.go")
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	require.NotEmpty(t, blocks)
	for _, block := range blocks {
		indented := "\t" + strings.ReplaceAll(strings.TrimSuffix(block[1], "\n"), "\n", "\n\t")
		require.Contains(t, string(source), indented)
	}
}

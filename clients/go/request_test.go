package holdfast

import (
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/uuid"
	"github.com/oapi-codegen/runtime/types"
	"github.com/stretchr/testify/require"
)

func TestOperation_BodyAndAnswer_HaveTypes(t *testing.T) {
	t.Parallel()
	s, client := of(t, answer{status: 201, body: `{"id":"` + bookingID + `","status":"confirmed"}`})
	booking, err := client.CreateBooking(t.Context(), NewBooking{Customer: &NewCustomer{Name: "Ada"}})
	require.NoError(t, err)
	require.Equal(t, bookingID, booking.ID.String())
	require.Equal(t, BookingStatusConfirmed, booking.Status)
	require.Equal(t, http.MethodPost, s.sent[0].method)
	require.Equal(t, "/v1/bookings", s.sent[0].target)
	require.Equal(t, "application/json", s.sent[0].header.Get("Content-Type"))
	require.Contains(t, s.sent[0].body, `"name":"Ada"`)
}

func TestOperation_IDsOfItsPath_StandInTheirOrder(t *testing.T) {
	t.Parallel()
	s, client := of(t, answer{status: 200, body: "{}"})
	hold, payment := uuid.New(), uuid.New()
	_, err := client.GetHoldPayment(t.Context(), hold, payment)
	require.NoError(t, err)
	require.Equal(t, "/v1/holds/"+hold.String()+"/payments/"+payment.String(), s.sent[0].target)
}

func TestPath_SpecialCharacters_StayInTheirElement(t *testing.T) {
	t.Parallel()
	require.Equal(t, "/v1/things/a%2Fb%3Fc%25d/parts/7", path("/v1/things/%s/parts/%s", "a/b?c%d", "7"))
}

func TestOperation_ParamsOfEachType_AreTheQuery(t *testing.T) {
	t.Parallel()
	s, client := of(t, answer{status: 200, body: "{}"}, answer{status: 200, body: "{}"},
		answer{status: 200, body: "{}"})
	service := uuid.MustParse(bookingID)
	_, err := client.ListBookings(t.Context(), ListBookingsParams{
		Limit:     new(int64(1000000)),
		Cursor:    new("a b&c=d/é"),
		From:      &types.Date{Time: time.Date(2027, 7, 1, 0, 0, 0, 0, time.UTC)},
		Status:    new(ListBookingsParamsStatus("held")),
		ServiceID: &service,
	})
	require.NoError(t, err)
	require.Equal(t, "/v1/bookings?cursor=a+b%26c%3Dd%2F%C3%A9&from=2027-07-01&limit=1000000&service_id="+bookingID+
		"&status=held", s.sent[0].target)
	_, err = client.ListServices(t.Context(), ListServicesParams{Archived: new(false)})
	require.NoError(t, err)
	require.Equal(t, "/v1/services?archived=false", s.sent[1].target)
	_, err = client.ListScheduledEvents(t.Context(), ListScheduledEventsParams{
		DueBefore: new(time.Date(2027, 7, 1, 10, 0, 0, 500, time.FixedZone("", 7200))),
	})
	require.NoError(t, err)
	require.Equal(t, "/v1/scheduled-events?due_before=2027-07-01T10%3A00%3A00.0000005%2B02%3A00", s.sent[2].target)
}

func TestOperation_NoParams_HasNoQuery(t *testing.T) {
	t.Parallel()
	s, client := of(t, answer{status: 200, body: `{"data":[]}`})
	_, err := client.ListBookings(t.Context(), ListBookingsParams{})
	require.NoError(t, err)
	require.Equal(t, "/v1/bookings", s.sent[0].target)
}

func TestQuery_EachParamsStruct_HasPlainValuesOnly(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("api_gen.go")
	require.NoError(t, err)
	structs := regexp.MustCompile(`(?s)type \w+Params struct \{.*?\n}`).FindAllString(string(source), -1)
	require.NotEmpty(t, structs)
	for _, declared := range structs {
		require.NotRegexp(t, `\*?\[\]|map\[|struct \{\n.*struct \{`, declared, "query encodes no lists and no objects")
	}
}

func TestOperation_OptionalBody_MayBeNil(t *testing.T) {
	t.Parallel()
	s, client := of(t, answer{status: 200, body: "{}"}, answer{status: 200, body: "{}"})
	_, err := client.CancelBooking(t.Context(), uuid.New(), nil)
	require.NoError(t, err)
	require.Empty(t, s.sent[0].body)
	require.NotContains(t, s.sent[0].header, "Content-Type")
	_, err = client.CancelBooking(t.Context(), uuid.New(), &Cancel{})
	require.NoError(t, err)
	require.Equal(t, "{}", s.sent[1].body)
}

func TestOptions_OfARequest_AreItsHeaders(t *testing.T) {
	t.Parallel()
	s, client := of(t, answer{status: 200, body: "{}"}, answer{status: 200, body: "{}"},
		answer{status: 200, body: "{}"})
	_, err := client.CancelBooking(t.Context(), uuid.New(), nil, IdempotencyKey("mine"), IfMatch(`"3"`),
		Prefer("wait=5"), Prefer("stale=5"), Header("Traceparent", "00-1"), Header("User-Agent", "shop/1"))
	require.NoError(t, err)
	for name, values := range map[string][]string{
		"Idempotency-Key": {"mine"}, "If-Match": {`"3"`}, "Prefer": {"wait=5", "stale=5"}, "Traceparent": {"00-1"},
		"User-Agent": {"shop/1"},
	} {
		require.Equal(t, values, s.sent[0].header.Values(name))
	}
	_, err = client.GetBooking(t.Context(), uuid.New(), IfNoneMatch(`W/"1"`))
	require.NoError(t, err)
	require.Equal(t, `W/"1"`, s.sent[1].header.Get("If-None-Match"))
	require.NotContains(t, s.sent[1].header, "Idempotency-Key", "only a POST has a key")
	_, err = client.GetBooking(t.Context(), uuid.New())
	require.NoError(t, err)
	for _, name := range []string{"If-Match", "If-None-Match", "Prefer", "Traceparent"} {
		require.NotContains(t, s.sent[2].header, name, "options are of one request")
	}
	require.Equal(t, "holdfast-go", s.sent[2].header.Get("User-Agent"))
}

func TestIdempotencyKey_PostsWithoutOne_GetDifferentKeys(t *testing.T) {
	t.Parallel()
	s, client := of(t, answer{status: 201, body: "{}"}, answer{status: 201, body: "{}"})
	for range 2 {
		_, err := client.CreateBooking(t.Context(), NewBooking{})
		require.NoError(t, err)
	}
	first, second := s.sent[0].header.Get("Idempotency-Key"), s.sent[1].header.Get("Idempotency-Key")
	require.GreaterOrEqual(t, len(first), 16)
	require.NotEqual(t, first, second)
}

func TestResponseTo_SeveralSuccesses_AreToldApart(t *testing.T) {
	t.Parallel()
	_, client := of(t,
		answer{status: 201, body: "{}", header: map[string]string{"ETag": `"1"`, "Location": "/v1/payments/1"}},
		answer{status: 202, body: "{}", header: map[string]string{"Idempotent-Replayed": "true", "Link": "<next>"}},
	)
	var response Response
	payment, err := client.CreatePayment(t.Context(), uuid.New(), NewPayment{}, ResponseTo(&response))
	require.NoError(t, err)
	require.NotNil(t, payment)
	require.Equal(t, http.StatusCreated, response.Status)
	require.Equal(t, `"1"`, response.ETag)
	require.Equal(t, "/v1/payments/1", response.Location)
	require.False(t, response.Replayed)

	payment, err = client.CreatePayment(t.Context(), uuid.New(), NewPayment{}, ResponseTo(&response))
	require.NoError(t, err)
	require.NotNil(t, payment)
	require.Equal(t, http.StatusAccepted, response.Status)
	require.True(t, response.Replayed)
	require.Empty(t, response.ETag)
	require.Equal(t, "<next>", response.Header.Get("Link"))
}

func TestOperation_AnswerThatIsLeftOut_IsNil(t *testing.T) {
	t.Parallel()
	_, client := of(t, answer{status: 204}, answer{status: 201}, answer{status: 304})
	var response Response
	changed, err := client.UpdateBooking(t.Context(), uuid.New(), UpdateBooking{}, Prefer("return=minimal"),
		ResponseTo(&response))
	require.NoError(t, err)
	require.Nil(t, changed)
	require.Equal(t, http.StatusNoContent, response.Status)

	made, err := client.CreateBooking(t.Context(), NewBooking{}, Prefer("return=minimal"))
	require.NoError(t, err)
	require.Nil(t, made)

	free, err := client.GetAvailability(t.Context(), uuid.New(), GetAvailabilityParams{}, IfNoneMatch(`W/"1"`),
		ResponseTo(&response))
	require.NoError(t, err)
	require.Nil(t, free)
	require.Equal(t, http.StatusNotModified, response.Status)
}

func TestOperation_AnswerThatShowsNothingUnasked_IsAnError(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"", "<html>", `{"id":7}`} {
		_, client := of(t, answer{status: 200, body: body})
		booking, err := client.GetBooking(t.Context(), uuid.New())
		require.ErrorContains(t, err, "decode the answer", body)
		require.Nil(t, booking)
	}
}

func TestOperation_WithoutAnAnswer_ReturnsOnlyAnError(t *testing.T) {
	t.Parallel()
	s, client := of(t, answer{status: 204}, answer{status: 404, body: `{"code":"not_found"}`})
	require.NoError(t, client.DeleteWebhookEndpoint(t.Context(), uuid.New()))
	require.Equal(t, http.MethodDelete, s.sent[0].method)
	refused := new(Error)
	require.ErrorAs(t, client.DeleteWebhookEndpoint(t.Context(), uuid.New()), &refused)
	require.Equal(t, ErrorCodeNotFound, refused.Code)
}

func TestOperation_AnswerThatIsNoJSON_IsABodyToRead(t *testing.T) {
	t.Parallel()
	s, client := of(t, answer{status: 200, body: "id,amount\n"}, answer{status: 404, body: `{"code":"not_found"}`},
		answer{status: 200, body: "id: 1\n\n"}, answer{status: 200, body: `{"data":[]}`})
	csv, err := client.ListAllPaymentsCsv(t.Context(), ListAllPaymentsCsvParams{})
	require.NoError(t, err)
	text, err := io.ReadAll(csv)
	require.NoError(t, err)
	require.NoError(t, csv.Close())
	require.Equal(t, "id,amount\n", string(text))

	_, err = client.GetReceiptPdf(t.Context(), uuid.New())
	require.ErrorAs(t, err, new(*Error))

	events, err := client.ListEventsStream(t.Context(), ListEventsParams{}, Header("Last-Event-ID", "c"))
	require.NoError(t, err)
	require.NoError(t, events.Close())
	require.Equal(t, "text/event-stream", s.sent[2].header.Get("Accept"))
	require.Equal(t, "c", s.sent[2].header.Get("Last-Event-ID"))
	_, err = client.ListEvents(t.Context(), ListEventsParams{})
	require.NoError(t, err)
	require.NotContains(t, s.sent[3].header, "Accept")
}

func TestError_Refusal_HasTheProblem(t *testing.T) {
	t.Parallel()
	_, client := of(t, answer{
		status: 412, body: `{"code":"version_mismatch","detail":"It is at version 4.","current":{"version":4}}`,
		header: map[string]string{"ETag": `"4"`, "Request-Id": "r1", "Retry-After": "3"},
	})
	var response Response
	booking, err := client.UpdateBooking(t.Context(), uuid.New(), UpdateBooking{}, IfMatch(`"3"`),
		ResponseTo(&response))
	require.Nil(t, booking)
	refused := new(Error)
	require.ErrorAs(t, err, &refused)
	require.Equal(t, http.StatusPreconditionFailed, refused.Status)
	require.Equal(t, ErrorCodeVersionMismatch, refused.Code)
	require.Equal(t, "holdfast: version_mismatch: It is at version 4.", refused.Error())
	require.Equal(t, map[string]any{"version": 4.0}, refused.Problem.Current)
	require.Equal(t, "r1", refused.RequestID)
	require.Equal(t, 3*time.Second, refused.RetryAfter)
	require.Equal(t, `"4"`, response.ETag)
}

func TestError_AnswerOfAProxy_HasItsStatus(t *testing.T) {
	t.Parallel()
	for _, status := range []int{301, 404, 502} {
		_, client := of(t, answer{status: status, body: "<html>"})
		_, err := client.GetBooking(t.Context(), uuid.New())
		failed := new(Error)
		require.ErrorAs(t, err, &failed)
		require.Equal(t, status, failed.Status)
		require.Empty(t, failed.Code)
		require.Nil(t, failed.Problem)
	}
}

func TestOperation_NoAnswer_LeavesTheResponseAlone(t *testing.T) {
	t.Parallel()
	s := &script{answers: []answer{{}}}
	response := Response{Status: 7}
	client := s.client(t, WithRetry(Retry{Attempts: 1}))
	_, err := client.GetBooking(t.Context(), uuid.New(), ResponseTo(&response))
	require.ErrorContains(t, err, "connection reset")
	require.NotErrorAs(t, err, new(*Error))
	require.Equal(t, 7, response.Status)
}

func TestOperation_AnswerThatBreaksOff_IsAnError(t *testing.T) {
	t.Parallel()
	for _, status := range []int{200, 404} {
		client, err := New("http://holdfast.test", "hf_x", WithHTTPClient(brokenOff(status)))
		require.NoError(t, err)
		_, err = client.GetBooking(t.Context(), uuid.New())
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	}
}

// brokenOff answers with a status, and with a body that breaks off.
type brokenOff int

func (b brokenOff) Do(*http.Request) (*http.Response, error) {
	body := io.MultiReader(strings.NewReader("{"), iotest.ErrReader(io.ErrUnexpectedEOF))
	return &http.Response{StatusCode: int(b), Header: http.Header{}, Body: io.NopCloser(body)}, nil
}

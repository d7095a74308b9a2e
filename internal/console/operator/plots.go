package operator

import (
	"slices"
	"strings"
	"time"
)

// how says what a plot makes of the samples of its metrics.
type how int

// The ways.
const (
	level    how = iota // the value as it is
	age                 // the time since the value, which is a Unix time
	ratio               // the value as a share of another metric's
	increase            // by how much the value has grown within the window
	rate                // the same, a second
	share               // of what has come within the window, which part
)

// unit says how figures are written.
type unit int

// The units.
const (
	count unit = iota
	percent
	seconds
	perSecond
	yesNo
)

// source is what a plot reads: a metric, or a part of it.
type source struct {
	metric string
	// name stands before the labels' values, if a plot reads several metrics.
	name string
	// want says which sets of labels count, nil for all.
	want func(labels map[string]string) bool
	// above has observations of a histogram count that are longer; 0 for all.
	above float64
}

// plot is a figure on which alerts of deploy/prometheus/holdfast.rules.yml are raised. Where an alert looks at a percentile, the plot shows
// the same as the share of what took longer than the alert's limit: then one number a sample is enough.
type plot struct {
	Title, Help string
	// Section is the part of the page that the plot begins; empty if it goes on with the one before.
	Section string
	Alerts  []string
	// Limit is what the alert is raised above, or below if Below says so.
	Limit float64
	Below bool
	// Reached says that it is also raised at the limit.
	Reached bool

	how    how
	unit   unit
	from   []source
	of     source   // of ratio and share
	by     []string // labels that tell lines apart, besides the cell
	window time.Duration
}

// reading is a value of a line, and what it is a share of.
type reading struct{ n, of float64 }

const (
	requests = "holdfast_http_request_duration_seconds"
	attempts = "holdfast_events_total"
	calls    = "holdfast_provider_call_seconds"
	claims   = "holdfast_event_claim_query_seconds"
)

// is returns a condition that a label has one of some values.
func is(label string, values ...string) func(map[string]string) bool {
	return func(labels map[string]string) bool { return slices.Contains(values, labels[label]) }
}

// ofClients leaves out the routes that machines ask all the time.
func ofClients(labels map[string]string) bool {
	return !slices.Contains([]string{"/healthz", "/readyz", "/metrics"}, labels["route"])
}

// quick also leaves out the routes that wait for the payment provider.
func quick(labels map[string]string) bool {
	route := labels["route"]
	waits := strings.HasSuffix(route, "/payments") || strings.HasSuffix(route, "/refunds") || strings.HasPrefix(route, "/v1/payments/")
	return ofClients(labels) && !waits
}

func serverError(labels map[string]string) bool {
	return strings.HasPrefix(labels["status"], "5") && ofClients(labels)
}

// isDelivery reports whether a kind of scheduled event brings something to a receiver that a tenant has chosen.
func isDelivery(labels map[string]string) bool {
	kind := labels["kind"]
	return kind == "webhook.delivery" || strings.HasPrefix(kind, "message.") && strings.HasSuffix(kind, "email")
}

// plots are all that is plotted, in the order of the page.
var plots = []plot{
	{
		Section: "Servers", Title: "Ready", Help: "Whether the database answers and commits don’t wait for a standby that is away.",
		Alerts: []string{"HoldfastServerNotReady", "HoldfastNoServerReady"}, Limit: 1, Below: true,
		how: level, unit: yesNo, from: []source{{metric: "holdfast_ready"}},
	},
	{
		Title: "Files and connections", Help: "Share of what the process may open.",
		Alerts: []string{"HoldfastFilesNearLimit"}, Limit: .8,
		how: ratio, unit: percent, from: []source{{metric: "process_open_fds"}}, of: source{metric: "process_max_fds"},
	},
	{
		Section: "Requests", Title: "Requests that end with 5xx",
		Help:   "Share of the requests of the last five minutes. The alert also needs more than ten.",
		Alerts: []string{"HoldfastErrorRateHigh"},
		Limit:  .05, how: share, unit: percent, window: 5 * time.Minute,
		from: []source{{metric: requests, want: serverError}}, of: source{metric: requests, want: ofClients},
	},
	{
		Title: "Internal errors and panics", Help: "Within the last quarter of an hour.",
		Alerts: []string{"HoldfastInternalErrors", "HoldfastPanics"}, how: increase, window: 15 * time.Minute,
		from: []source{{metric: requests, name: "500", want: is("status", "500")}, {metric: "holdfast_http_panics_total", name: "panics"}},
	},
	{
		Title: "Slow requests", Help: "Share of the requests of the last five minutes that took longer than 2.5 s.",
		Alerts: []string{"HoldfastRequestsSlow"}, Limit: .01, how: share, unit: percent, window: 5 * time.Minute,
		from: []source{{metric: requests, want: quick, above: 2.5}}, of: source{metric: requests, want: quick},
	},
	{
		Title: "Requests that were shed", Help: "With 503 overloaded, within the last ten minutes.",
		Alerts: []string{"HoldfastRequestsShed"},
		how:    increase, window: 10 * time.Minute, by: []string{"reason"},
		from: []source{{metric: "holdfast_requests_shed_total", want: func(l map[string]string) bool { return l["reason"] != "deadline" }}},
	},
	{
		Title: "Requests over their rate", Help: "Within the last quarter of an hour.", Alerts: []string{"HoldfastRequestsRateLimited"},
		how: increase, window: 15 * time.Minute, from: []source{{metric: "holdfast_requests_rate_limited_total"}},
	},
	{
		Section: "Database and locks", Title: "Long waits for locks",
		Help:   "Share of the waits of the last five minutes that took longer than 2.5 s.",
		Alerts: []string{"HoldfastLockWaitsLong"}, Limit: .01, how: share, unit: percent, window: 5 * time.Minute, by: []string{"kind"},
		from: []source{{metric: "holdfast_lock_wait_seconds", above: 2.5}}, of: source{metric: "holdfast_lock_wait_seconds"},
	},
	{
		Title: "Locks that weren’t free in time", Help: "Within the last ten minutes.", Alerts: []string{"HoldfastLockTimeouts"},
		how: increase, window: 10 * time.Minute, by: []string{"kind"}, from: []source{{metric: "holdfast_lock_timeouts_total"}},
	},
	{
		Title: "Database connections in use", Help: "Share of all that the server may have. The alert is raised if transactions wait, too.",
		Alerts: []string{"HoldfastPoolExhausted"}, Limit: 1, Reached: true, how: ratio,
		unit: percent,
		from: []source{{metric: "holdfast_pool_connections_in_use"}}, of: source{metric: "holdfast_pool_connections_max"},
	},
	{
		Title: "Transactions that run again", Help: "A second, within the last quarter of an hour.",
		Alerts: []string{"HoldfastTransactionRetries"},
		Limit:  .1, how: rate, unit: perSecond, window: 15 * time.Minute, from: []source{{metric: "holdfast_transaction_retries_total"}},
	},
	{
		Title: "Unknown outcomes", Help: "Commits that were cut off, within the last ten minutes.",
		Alerts: []string{"HoldfastUnknownOutcomes"},
		how:    increase, window: 10 * time.Minute, from: []source{{metric: "holdfast_unknown_outcomes_total"}},
	},
	{
		Title: "Age of the standby", Help: "How old what is read from it is. Without a standby there is no line.",
		Alerts: []string{"HoldfastStandbyStale"}, Limit: 30, how: level, unit: seconds,
		from: []source{{metric: "holdfast_standby_staleness_seconds"}},
	},
	{
		Section: "Payments", Title: "Failed calls of the payment provider",
		Help:   "Share of the calls of the last ten minutes that failed or gave no outcome. The alert also needs more than three.",
		Alerts: []string{"HoldfastProviderFails"}, Limit: .1, how: share, unit: percent, window: 10 * time.Minute, by: []string{"provider"},
		from: []source{{metric: calls, want: is("result", "unknown", "not_done")}}, of: source{metric: calls},
	},
	{
		Title: "Payments without an outcome", Help: "Fruitless questions to the provider, within the last half hour.",
		Alerts: []string{"HoldfastPaymentsStayUnknown"}, Limit: 30, how: increase, window: 30 * time.Minute, by: []string{"provider"},
		from: []source{{metric: calls, want: func(l map[string]string) bool {
			return is("operation", "look_up", "cancel")(l) && is("result", "unknown", "not_done")(l)
		}}},
	},
	{
		Title: "Money that a person must look at", Help: "Since this server started; the alerts count six hours.",
		Alerts: []string{"HoldfastPaymentContradicted", "HoldfastWebhookOfOtherAccount", "HoldfastAutomaticRefundDeclined"}, how: level,
		from: []source{
			{metric: "holdfast_payments_contradicted_total", name: "contradicted"},
			{metric: "holdfast_webhooks_of_other_accounts_total", name: "webhooks of other accounts"},
			{metric: "holdfast_automatic_refunds_declined_total", name: "refunds declined"},
		},
	},
	{
		Section: "Scheduled events", Title: "Oldest due event",
		Help:   "How long it has waited. Above five minutes the alert is critical.",
		Alerts: []string{"HoldfastEventsLate", "HoldfastEventsVeryLate"}, Limit: 60, how: level, unit: seconds, by: []string{"kind"},
		from: []source{{metric: "holdfast_events_oldest_due_seconds"}},
	},
	{
		Title: "Last count of the events", Help: "How long ago a worker of this server counted them.",
		Alerts: []string{"HoldfastEventsNotCounted"},
		Limit:  180, how: age, unit: seconds, from: []source{{metric: "holdfast_events_sampled_timestamp_seconds"}},
	},
	{
		Title: "Dead events", Help: "Events whose attempts all failed, deliveries and emails aside.",
		Alerts: []string{"HoldfastEventsDead"},
		how:    level, by: []string{"kind"},
		from: []source{{metric: "holdfast_events_dead", want: func(l map[string]string) bool { return !isDelivery(l) }}},
	},
	{
		Title: "Changes not yet planned", Help: "Age of the oldest change whose webhooks and messages aren’t planned.",
		Alerts: []string{"HoldfastFeedRelayLate"}, Limit: 120, how: level, unit: seconds,
		from: []source{{metric: "holdfast_feed_relay_lag_seconds"}},
	},
	{
		Title: "Failed attempts at events", Help: "Share of the attempts of the last quarter of an hour.",
		Alerts: []string{"HoldfastEventsKeepFailing"}, Limit: .2, how: share, unit: percent, window: 15 * time.Minute, by: []string{"kind"},
		from: []source{{metric: attempts, want: is("what", "failed", "dead")}}, of: source{metric: attempts, want: is("what", "claimed")},
	},
	{
		Title: "Holds whose expiry failed", Help: "Within the last quarter of an hour.",
		Alerts: []string{"HoldfastHoldExpiryFails"}, Limit: 3,
		how: increase, window: 15 * time.Minute,
		from: []source{{metric: attempts, want: func(l map[string]string) bool {
			return l["kind"] == "booking.hold_expiry" && l["what"] == "failed"
		}}},
	},
	{
		Title: "Slow claims of events", Help: "Share of the claiming queries of the last five minutes that took longer than 0.1 s.",
		Alerts: []string{"HoldfastEventClaimQuerySlow"}, Limit: .05, how: share, unit: percent, window: 5 * time.Minute,
		by:   []string{"kind"},
		from: []source{{metric: claims, above: .1}}, of: source{metric: claims},
	},
	{
		Title: "Very slow claims of events", Help: "Share of the claiming queries of the last five minutes that took longer than 0.2 s.",
		Alerts: []string{"HoldfastEventClaimQueryVerySlow"}, Limit: .05, how: share, unit: percent, window: 5 * time.Minute,
		by: []string{"kind"}, from: []source{{metric: claims, above: .2}}, of: source{metric: claims},
	},
	{
		Title: "Claims of more than a second", Help: "Within the last ten minutes.",
		Alerts: []string{"HoldfastEventClaimTransactionOverOneSecond"},
		Limit:  .5, how: increase, window: 10 * time.Minute, from: []source{{metric: "holdfast_event_claim_transaction_seconds", above: 1}},
	},
	{
		Title: "Lost results of events", Help: "Share of the attempts of the last ten minutes.",
		Alerts: []string{"HoldfastEventConflicts"},
		Limit:  .05, how: share, unit: percent, window: 10 * time.Minute,
		from: []source{{metric: attempts, want: is("what", "lost")}}, of: source{metric: attempts, want: is("what", "claimed")},
	},
	{
		Title: "Events taken back from workers", Help: "Within the last ten minutes.",
		Alerts: []string{"HoldfastEventLeasesEnd"}, Limit: 5,
		how: increase, window: 10 * time.Minute, by: []string{"kind"}, from: []source{{metric: attempts, want: is("what", "rescued")}},
	},
}

package main

import (
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/alecthomas/kong"

	"holdfast/internal/httpapi/admission"
)

// Config is what can be configured. `holdfast help config` prints it. The range tag, a bool, an enum or slog.Level says
// which values a setting may have; checkSettings refuses all others. A setting with the tag secret can come from a
// file: see secretFile.
type Config struct {
	DatabaseURL          string        `env:"HOLDFAST_DATABASE_URL" secret:"true" range:"a PostgreSQL URL or key=value string" help:"PostgreSQL 14 or later to use. Unset: the embedded database."`
	DirectDatabaseURL    string        `env:"HOLDFAST_DIRECT_DATABASE_URL" secret:"true" range:"a PostgreSQL URL or key=value string" help:"The same database without a transaction pooler in between, for migrations and session locks. Unset: HOLDFAST_DATABASE_URL."`
	StandbyURL           string        `env:"HOLDFAST_STANDBY_URL" secret:"true" range:"a PostgreSQL URL or key=value string" help:"A standby of HOLDFAST_DATABASE_URL, for requests that let their reads be stale: see docs/standby.md. Unset: the primary serves all reads."`
	DatabaseConns        int           `env:"HOLDFAST_DATABASE_CONNS" default:"16" range:"1 to 10000" help:"Most database connections that the server opens; as many again to a standby."`
	Cells                string        `env:"HOLDFAST_CELLS" range:"a path" help:"File that lists several cells, which are databases or schemas with tenants of their own, instead of HOLDFAST_DATABASE_URL: see docs/cells.md. Unset: one cell."`
	Cell                 string        `env:"HOLDFAST_CELL" range:"a cell's name" help:"Cell of HOLDFAST_CELLS that a command is about. Unset: all, or the command says that it needs one. serve ignores it."`
	Addr                 string        `env:"HOLDFAST_ADDR" default:"127.0.0.1:8080" range:"host:port" help:"Address to serve the API on."`
	MetricsAddr          string        `env:"HOLDFAST_METRICS_ADDR" range:"host:port" help:"Address to serve /metrics on. Unset: with the API."`
	DataDir              string        `env:"HOLDFAST_DATA_DIR" default:".holdfast" range:"a path" help:"Directory of the embedded database and of generated keys."`
	AdminKey             string        `env:"HOLDFAST_ADMIN_KEY" secret:"true" range:"a key of 128 bits" help:"Bearer key of the admin API, and what the operator signs in with at /operator. Unset: made once and kept in the data directory."`
	LogLevel             slog.Level    `env:"HOLDFAST_LOG_LEVEL" default:"info" help:"debug, info, warn or error."`
	LogFormat            string        `env:"HOLDFAST_LOG_FORMAT" default:"text" enum:"text,json" help:"text or json."`
	CommitTimeout        time.Duration `env:"HOLDFAST_COMMIT_TIMEOUT" default:"15s" range:"100ms to 30s" help:"How long a change waits for its COMMIT, for example for a synchronous standby, before it answers 503 outcome_unknown."`
	LockTimeout          time.Duration `env:"HOLDFAST_LOCK_TIMEOUT" default:"5s" range:"1ms to 1m" help:"How long a change waits for others of the same date before it answers 503 lock_timeout."`
	MaxConcurrency       int           `env:"HOLDFAST_MAX_CONCURRENCY" default:"0" range:"0 to 1000000" help:"Most requests at work at once; one tenant's are at most half, or an eighth while others send requests. 0: four times HOLDFAST_DATABASE_CONNS."`
	MaxQueue             int           `env:"HOLDFAST_MAX_QUEUE" default:"0" range:"0 to 10000000" help:"Most requests that wait to be at work; one tenant's are at most half. More get 503 overloaded. 0: sixteen times HOLDFAST_MAX_CONCURRENCY."`
	QueueTimeout         time.Duration `env:"HOLDFAST_QUEUE_TIMEOUT" default:"1s" range:"1ms to 1m" help:"How long a request waits to be at work before it gets 503 overloaded."`
	MaxConnections       int64         `env:"HOLDFAST_MAX_CONNECTIONS" default:"16384" range:"0 to 10000000" help:"Most connections of clients that are open at once. Others wait to be accepted. An address has at most a quarter of them, unless it is in HOLDFAST_TRUSTED_PROXIES; more are closed. 0: no limit."`
	RateLimit            float64       `env:"HOLDFAST_RATE_LIMIT" default:"0" range:"0, 0.001 to 1000000" help:"Requests per second that an API key may send in the long run; more get 429 rate_limited. 0: no limit."`
	RateBurst            int           `env:"HOLDFAST_RATE_BURST" default:"0" range:"0 to 1000000" help:"Requests that an API key may send at once. 0: as many as in one second."`
	VisitorRate          float64       `env:"HOLDFAST_VISITOR_RATE" default:"5" range:"0, 0.001 to 1000000" help:"Requests per second that a visitor of a tenant's website may send in the long run, and an address of whose requests no tenant is known; more get 429 rate_limited. 0: no limit."`
	VisitorBurst         int           `env:"HOLDFAST_VISITOR_BURST" default:"50" range:"0 to 1000000" help:"Requests that a visitor may send at once. 0: as many as in one second."`
	VisitorHolds         int           `env:"HOLDFAST_VISITOR_HOLDS" default:"10" range:"0 to 1000000" help:"Holds that a visitor may make in ten minutes, payments that it may try, and moves of bookings; of units times nights its holds may take 20 times as many in an hour. 0: no limit."`
	TrustedProxies       string        `env:"HOLDFAST_TRUSTED_PROXIES" range:"networks" help:"Networks of the proxies in front of the server, such as 10.0.0.0/8, with commas in between. Their X-Forwarded-For says who the visitor is, and they may have all connections. Unset: the connection's address does, and all visitors of a proxy are one."`
	AnnounceDelay        time.Duration `env:"HOLDFAST_ANNOUNCE_DELAY" default:"0s" range:"0s to 10m" help:"How long /readyz fails before requests are refused, for load balancers to notice."`
	Demo                 bool          `env:"HOLDFAST_DEMO" help:"Create a demo tenant if the database is empty, and print how to call it."`
	CleanupInterval      time.Duration `env:"HOLDFAST_CLEANUP_INTERVAL" default:"1h" range:"0s, 10ms to 168h" help:"Mean time between two deletions of expired idempotency keys. 0: this server deletes none."`
	CleanupBatch         int           `env:"HOLDFAST_CLEANUP_BATCH" default:"1000" range:"1 to 100000" help:"Most idempotency keys that one transaction deletes."`
	ChangeRetention      time.Duration `env:"HOLDFAST_CHANGE_RETENTION" default:"9600h" range:"744h to 87600h" help:"How long changes are kept, which GET /v1/events and histories show. Idempotency keys live 30 days and need them."`
	EventRetention       time.Duration `env:"HOLDFAST_EVENT_RETENTION" default:"720h" range:"120h to 87600h" help:"How long scheduled events are kept that have ended."`
	Provider             string        `env:"HOLDFAST_PROVIDER" default:"" enum:",sandbox,stripe" help:"Payment provider of new payments: sandbox, which moves no money, or stripe. Unset: new payments are refused; with --demo the sandbox."`
	ProviderTimeout      time.Duration `env:"HOLDFAST_PROVIDER_TIMEOUT" default:"20s" range:"10ms to 55s" help:"How long the payment provider may take to answer; then the outcome is unknown and is found out later."`
	ProviderAbsentAfter  time.Duration `env:"HOLDFAST_PROVIDER_ABSENT_AFTER" default:"2m" range:"10ms to 24h" help:"How long after it was last sent an order that the provider doesn't know counts as not carried out."`
	PaymentTimeout       time.Duration `env:"HOLDFAST_PAYMENT_TIMEOUT" default:"1h" range:"10s to 720h" help:"How long a payment may stay open, for example while its customer is on the bank's page; then it is cancelled at the provider. A payment on the provider's page stays open until the page ends."`
	SandboxURL           string        `env:"HOLDFAST_SANDBOX_URL" range:"an http or https URL" help:"Sandbox to use. Unset: one in this process, with its journal in the data directory."`
	SandboxKey           string        `env:"HOLDFAST_SANDBOX_KEY" secret:"true" range:"visible ASCII" help:"Bearer key of the sandbox's clients. Unset: made once and kept in the data directory."`
	SandboxWebhookSecret string        `env:"HOLDFAST_SANDBOX_WEBHOOK_SECRET" secret:"true" range:"visible ASCII" help:"Secret that signs the sandbox's webhooks. Unset: made once and kept in the data directory."`
	StripeKey            string        `env:"HOLDFAST_STRIPE_KEY" secret:"true" range:"visible ASCII" help:"Stripe's secret or restricted key."`
	StripeWebhookSecret  string        `env:"HOLDFAST_STRIPE_WEBHOOK_SECRET" secret:"true" range:"visible ASCII" help:"Signing secret of Stripe's webhook endpoint."`
	StripeConnectSecret  string        `name:"stripe-connect-webhook-secret" env:"HOLDFAST_STRIPE_CONNECT_WEBHOOK_SECRET" secret:"true" range:"visible ASCII" help:"Signing secret of Stripe's webhook endpoint of connected accounts. Unset: tenants have no accounts of their own at Stripe. Set it once no server of 0.1.0 runs."`
	StripeReturnURL      string        `env:"HOLDFAST_STRIPE_RETURN_URL" range:"an http or https URL" help:"Where customers come back to from their bank's page. Unset: no payment methods that send them away."`
	SMTPURL              string        `env:"HOLDFAST_SMTP_URL" secret:"true" name:"smtp-url" range:"an SMTP URL" help:"Mail server, such as smtp://user:password@host:587 or smtps://user:password@host. Unset: no email is sent; with --demo emails are kept in the data directory."`
	EmailFrom            string        `env:"HOLDFAST_EMAIL_FROM" range:"an email address" help:"Sender of the links by which people sign in to the console, such as console@example.com. Unset: the sender of tenants' emails; a tenant without one sends no links."`
	TenantEmailFrom      string        `env:"HOLDFAST_TENANT_EMAIL_FROM" range:"an email address" help:"Sender of tenants' emails to their customers, such as bookings@example.com: an address of yours, and another one than HOLDFAST_EMAIL_FROM. The tenant's name stands beside it, and replies go to the tenant. Unset: only tenants with a domain in HOLDFAST_TENANT_EMAIL_DOMAINS send emails."`
	TenantEmailDomains   string        `env:"HOLDFAST_TENANT_EMAIL_DOMAINS" range:"domains" help:"Domains whose addresses a tenant sends from, as harbour=harbour.example for the tenant harbour, with commas in between; without a tenant, every tenant may. The mail server must be allowed to send for them."`
	OIDCIssuer           string        `env:"HOLDFAST_OIDC_ISSUER" name:"oidc-issuer" range:"an http or https URL" help:"OpenID Connect provider at which people can sign in to the console, such as https://accounts.example.com. Unset: by emailed links only."`
	OIDCClientID         string        `env:"HOLDFAST_OIDC_CLIENT_ID" name:"oidc-client-id" range:"visible ASCII" help:"This server's id at the provider, with /oidc/callback below HOLDFAST_PUBLIC_URL as its redirect URL."`
	OIDCClientSecret     string        `env:"HOLDFAST_OIDC_CLIENT_SECRET" secret:"true" name:"oidc-client-secret" range:"visible ASCII" help:"The secret of that id."`
	OIDCTrustEmail       bool          `env:"HOLDFAST_OIDC_TRUST_EMAIL" name:"oidc-trust-email" help:"Believe an email of which the provider doesn't say whether it is confirmed, as Microsoft Entra ID never does. Only for a provider whose accounts are all your own organisation's, and whose users can't set their email themselves."`
	PublicURL            string        `env:"HOLDFAST_PUBLIC_URL" range:"an http or https URL" help:"Where customers reach this server: links in emails begin with it, and payment pages lead back to it. Unset: the address of the API."`
	UnsubscribeKey       string        `env:"HOLDFAST_UNSUBSCRIBE_KEY" secret:"true" range:"a key of 128 bits" help:"Signs the links to unsubscribe and to bookings; the same on all servers. Unset: made once and kept in the data directory."`
	WebhookAllow         string        `env:"HOLDFAST_WEBHOOK_ALLOW" range:"networks" help:"Networks that webhooks may reach although they are not public, also over plain http, such as 127.0.0.0/8, with commas in between. Unset: public addresses over https only."`
	OTLPEndpoint         string        `env:"OTEL_EXPORTER_OTLP_ENDPOINT" name:"otlp-endpoint" range:"an http or https URL" help:"OpenTelemetry collector that takes traces over OTLP/HTTP, such as http://127.0.0.1:4318. Unset: nothing is traced."`
	OTLPHeaders          string        `env:"OTEL_EXPORTER_OTLP_HEADERS" secret:"true" name:"otlp-headers" range:"name=value pairs" help:"Headers that the collector wants, such as a key."`
	TracesSampler        string        `env:"OTEL_TRACES_SAMPLER" default:"parentbased_traceidratio" range:"a sampler" help:"Which traces are recorded: always_on, always_off, traceidratio, or one of these after parentbased_. Then the traceparent of a request decides, if there is one."`
	TracesSamplerArg     float64       `env:"OTEL_TRACES_SAMPLER_ARG" default:"0.01" range:"0, 0.000001 to 1" help:"Share of the traces that traceidratio and parentbased_traceidratio record."`
	ServiceName          string        `env:"OTEL_SERVICE_NAME" default:"holdfast" range:"visible ASCII" help:"The server's name in traces."`
	ResourceAttributes   string        `env:"OTEL_RESOURCE_ATTRIBUTES" range:"name=value pairs" help:"What traces say of the server, such as deployment.environment.name=production."`
	ShutdownTimeout      time.Duration `env:"HOLDFAST_SHUTDOWN_TIMEOUT" default:"30s" range:"0s to 1h" help:"How long requests may still run after the server was told to stop."`
}

// limits returns what bounds the work of the API.
func (c *Config) limits() admission.Limits {
	return admission.Limits{
		MaxWorking:   c.MaxConcurrency,
		MaxQueued:    c.MaxQueue,
		QueueTimeout: c.QueueTimeout,
		Rate:         c.RateLimit,
		Burst:        c.RateBurst,
		VisitorRate:  c.VisitorRate,
		VisitorBurst: c.VisitorBurst,
		VisitorHolds: c.VisitorHolds,
	}
}

// logger writes to the standard error output; what commands print goes to the standard output.
func (c *Config) logger() *slog.Logger {
	options := &slog.HandlerOptions{Level: c.LogLevel}
	if c.LogFormat == "json" {
		options.ReplaceAttr = nameUnit
		return slog.New(slog.NewJSONHandler(os.Stderr, options))
	}
	return slog.New(slog.NewTextHandler(os.Stderr, options))
}

// nameUnit gives a length of time in JSON its unit: duration_seconds with 0.25, where slog would write duration with
// 250000000.
func nameUnit(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() != slog.KindDuration {
		return a
	}
	return slog.Float64(a.Key+"_seconds", a.Value.Duration().Seconds())
}

type helpCmd struct {
	Topic []string `arg:"" optional:"" help:"A command, such as tenant create, or config for the environment variables with their defaults."`
}

// Run prints what COMMAND --help prints. An unknown topic is an error that names the nearest command.
func (cmd helpCmd) Run(k *kong.Context) error {
	if slices.Equal(cmd.Topic, []string{"config"}) {
		return printConfig(k)
	}
	printed := false
	parser, err := newParser(new(cli), kong.Exit(func(int) { printed = true }))
	if err != nil {
		return err
	}
	if _, err := parser.Parse(append(slices.Clone(cmd.Topic), "--help")); err != nil && !printed {
		return unusableError{err}
	}
	return nil
}

// printConfig prints the configuration as the command line knows it, so that the two can't differ.
func printConfig(k *kong.Context) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "VARIABLE\tFLAG\tDEFAULT\tRANGE\tMEANING")
	for _, f := range k.Model.Flags {
		if len(f.Envs) == 0 {
			continue
		}
		_, _ = fmt.Fprintf(w, "%s\t--%s\t%s\t%s\t%s\n", strings.Join(f.Envs, ", "), f.Name, f.Default, rangeOf(f),
			f.Help)
	}
	return w.Flush()
}

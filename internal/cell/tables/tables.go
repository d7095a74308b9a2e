package tables

// Table is a table of which a tenant has rows.
type Table struct {
	Name string
	// Key is the table's primary key after tenant_id, each column with its type; empty for a table with one row a
	// tenant.
	Key string

	// Order is by what the rows are copied whose foreign keys name rows of the same table: those that are named come
	// first. Empty for other tables. Those of a tenant that has moved away are deleted in the opposite order.
	Order []string
	// Computed are the columns that have another value in the cell to which a tenant moves, each with an expression
	// over the row here. $base in it is a number that brings ids of transactions below all ids there.
	Computed map[string]string
	// Ahead is the condition of rows that are copied before the tenant is frozen; empty for all.
	Ahead string
	// Vacate takes a row out of the way of others until it is written anew, as values of some columns. Empty where no
	// two rows of a table exclude each other but by their keys.
	Vacate string

	// Secret says that nothing of the table is exported. Hidden are the columns that the export leaves out, and Row
	// continues the expression that makes the JSON object of what is left, over the row r.
	Secret bool
	Hidden []string
	Row    string

	// Stays says that the deletion of a tenant leaves its row.
	Stays bool
	// DeletedFirst is the condition of rows r that name others of the table, and DeletedWith the column of rows that
	// name each other: those with the same value are deleted together. Empty for other tables.
	DeletedFirst, DeletedWith string
}

// List has each table after those that its foreign keys name; rows are deleted in the opposite order. A test compares
// it with the schema. Not in it are tenant_moves, tenant_arrivals and cell_directory, which are about the database, and
// feed_positions, which moves set.
var List = []Table{
	{Name: "tenants", Hidden: []string{"export_id"}, Stays: true},
	{Name: "resources", Key: "resource_id uuid"},
	{Name: "services", Key: "service_id uuid"},
	{Name: "service_resources", Key: "service_id uuid, resource_id uuid"},
	{Name: "closures", Key: "closure_id uuid"},
	{Name: "blocks", Key: "block_id uuid"},
	// The position of a customer's next change is above the transaction's id in the target, whatever it was in the
	// source.
	{
		Name: "customers", Key: "customer_id uuid", Computed: map[string]string{"event_transaction_id": "0"},
		Vacate: "email = x.customer_id::text",
	},
	{Name: "former_customers", Key: "booking_id uuid, version bigint"},
	// The version is the one that the API shows: it counts the payments and refunds that succeeded. The details stand
	// beside the other columns, as the API shows them.
	{
		Name: "bookings", Key: "booking_id uuid", Hidden: []string{"details"},
		Row: `|| '{"metadata": {}}' || r.details::jsonb || jsonb_build_object('version', r.version + (
    SELECT count(*)
    FROM payments p
    WHERE p.tenant_id = r.tenant_id AND p.booking_id = r.booking_id AND p.status = 'succeeded'))`,
	},
	// The claims of sessions' seats name the claims of the sessions.
	{
		Name: "claims", Key: "owner_id uuid, number smallint", Order: []string{"(session_id IS NOT NULL)", "owner_id",
			"number"},
		Vacate: "resource_id = gen_random_uuid(), session_id = NULL", DeletedFirst: "r.session_id IS NOT NULL",
	},
	{Name: "wallets", Key: "wallet_id uuid", Hidden: []string{"code_hash"}},
	{Name: "wallet_entries", Key: "wallet_id uuid, version bigint"},
	{Name: "wallet_postings", Key: "movement_id uuid, position smallint"},
	{Name: "wallet_snapshots", Key: "wallet_id uuid, version bigint"},
	// A card's payment comes before the wallet's part of it, and both before their refunds. What pays at the provider
	// isn't exported, nor in the tables below; how somebody paid offline is.
	{
		Name: "payments", Key: "payment_id uuid",
		Order: []string{"(refund_of IS NOT NULL)", "(card_payment_id IS NOT NULL)", "payment_id"},
		Hidden: []string{"client_secret",
			"return_url"}, Row: "- CASE WHEN r.provider = 'offline' THEN '' ELSE 'method' END",
		DeletedWith: "booking_id",
	},
	{Name: "ended_bookings", Key: "booking_id uuid"},
	{Name: "provider_events", Key: "provider text, event_id text"},
	// Events that a worker of the source holds come at the hand-over, when none holds any: a worker of the target would
	// take them back.
	{Name: "scheduled_events", Key: "event_id uuid", Ahead: "status <> 'processing'"},
	{
		Name: "event_attempts", Key: "event_id uuid, attempt_id uuid",
		Ahead: "event_id <> ALL (ARRAY(SELECT e.event_id " +
			"FROM scheduled_events e WHERE e.tenant_id = $1 AND e.status = 'processing'))",
	},
	// Transaction ids of the source mean nothing in the target. The numbers keep the order, and are below all ids of
	// the target: readers of the feed see them at once, and the relay has passed them. They are below -2^61, by which
	// ChangeDeleteOldArrived knows them. Those that came from a cell before stay as they are, and below the others.
	{
		Name: "changes", Key: "transaction_id bigint, change_id uuid",
		Computed: map[string]string{
			"transaction_id": "CASE WHEN transaction_id < -2305843009213693952 THEN transaction_id " +
				"ELSE transaction_id + $base END",
		},
		Row: `#- CASE WHEN r.type LIKE 'payment.%' AND r.data ->> 'payment' IS NOT NULL
    AND r.data -> 'payment' ->> 'provider' <> 'offline' THEN '{data,payment,payment_method}' ELSE '{}' END::text[]`,
	},
	{Name: "payment_accounts", Key: "provider text"},
	{Name: "webhook_endpoints", Key: "endpoint_id uuid", Hidden: []string{"secret", "former_secret"}},
	{Name: "api_keys", Key: "api_key_id uuid", Hidden: []string{"hash"}},
	{Name: "users", Key: "user_id uuid"},
	// Hashes of secrets that end within days are of use to nobody else.
	{Name: "sign_in_links", Key: "hash bytea", Secret: true},
	{Name: "sign_ins", Key: "hash bytea", Secret: true},
	// The image is exported in base64. Its hash follows from it.
	{
		Name: "logos", Hidden: []string{"hash"},
		Row: `|| jsonb_build_object('data', translate(encode(r.data, 'base64'), E'\n', ''))`,
	},
	{
		Name: "idempotency_keys", Key: "key text",
		Row: `|| jsonb_build_object('body', CASE
    WHEN r.status BETWEEN 200 AND 299 AND convert_from(r.body, 'UTF8') LIKE '%"payment_method":%'
        AND convert_from(r.body, 'UTF8') NOT LIKE '%"provider":"offline"%'
    THEN (convert_from(r.body, 'UTF8')::jsonb - 'payment_method')::text ELSE convert_from(r.body, 'UTF8') END)`,
	},
}

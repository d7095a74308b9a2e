package document

// Introduction begins the description of the API: what a client has to know before it calls anything. Markdown.
const Introduction = `Books services by the date or the slot. A date is never sold twice, and a payment is never taken twice.

## Idempotency

Every POST that creates or moves something needs an ` + "`Idempotency-Key`" + `: a new one for every new change, the same one for every
retry of it. A retry with the same method, path and value of the body gets the stored answer, byte for byte, with
` + "`Idempotent-Replayed: true`" + `. Blanks and the order of names don't matter. A key that was used for something else gets
422 ` + "`idempotency_key_reused`" + `, which says what became of the first request: don't repeat that one with a new key. Retry after
a broken connection, a 5xx, 409 ` + "`request_in_progress`" + ` and 409 ` +
	"`version_conflict`" + ` with the same key and the same body. Keys are
kept for 30 days. PUT, PATCH and DELETE may be repeated as they are.

## Errors

Every refusal and failure is an ` + "`application/problem+json`" + ` document (RFC 9457). Programs read its ` +
	"`code`" + `, which is stable;
` + "`errors`" + ` names the fields that were refused. [All codes, and what to do about each](/docs/errors). 409 ` +
	"`request_in_progress`" + ` and
` + "`version_conflict`" + `, 429 and 503 say in ` + "`Retry-After`" + ` when to try again. ` +
	"`Request-Id`" + ` finds a request in the server's log. Unknown fields and query
parameters are refused, and so are ` + "`null`" + ` and ids in another form than their 36 characters.

## Versions

A booking has a ` + "`version`" + ` that grows with every change, also of its money, and is its ` + "`ETag`" + `. A change with
` + "`If-Match: \"3\"`" + ` is refused with 412 ` + "`version_mismatch`" + ` unless the booking is at version 3; without ` +
	"`If-Match`" + ` it is made at
any version. The refusal's ` + "`current`" +
	` is the booking as it is now. The same holds for whatever else has a version. A booking keeps
the contact that was given for it; changing the customer changes no booking.

## Responses

Every response has a ` + "`Request-Id`" + `. Those to a tenant's key have ` + "`RateLimit`" + ` and ` +
	"`RateLimit-Policy`" + ` where the server
limits rates, and ` + "`Preference-Applied`" + ` where a ` + "`Prefer`" + ` was. Any request may also be answered as 4XX and 5XX describe.`

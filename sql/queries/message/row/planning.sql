-- What the planner of messages reads.

-- name: PlanningListEvents :many
-- PlanningListEvents lists events about a subject of some kinds, whatever became of them.
SELECT kind, occurrence, status
FROM scheduled_events
WHERE tenant_id = $1 AND subject_id = sqlc.arg(subject_id) AND kind = ANY (sqlc.arg(kinds)::text[])
ORDER BY kind, occurrence;

-- name: PlanningListGreeted :many
-- PlanningListGreeted lists which of a customer and those who were merged into it have had an occurrence of a greeting, or have none on
-- request.
SELECT s.subject_id
FROM scheduled_events s
WHERE s.tenant_id = $1 AND s.kind = sqlc.arg(kind) AND s.occurrence = sqlc.arg(occurrence)
  AND (s.status = 'completed' OR s.cancelled_on_request)
  AND s.subject_id = ANY (ARRAY(
      SELECT c.customer_id
      FROM customers c
      WHERE c.tenant_id = $1 AND c.merged_into = sqlc.arg(customer_id)::uuid
      UNION ALL
      SELECT sqlc.arg(customer_id)::uuid))
ORDER BY s.subject_id;

-- name: PlanningListBirthdays :many
-- PlanningListBirthdays lists customers who were born on a day of the year, such as 1210 for 10 December, and who want greetings. For
-- several days at once the planner would read all customers, in the order of the page.
SELECT *
FROM customers
WHERE tenant_id = $1 AND birth_month_day = sqlc.arg(month_day)::smallint AND birthday IS NOT NULL AND customer_id > sqlc.arg(after)::uuid
  AND unsubscribed_at IS NULL
ORDER BY customer_id
LIMIT sqlc.arg(row_limit)::int;

-- name: PlanningListReminders :many
-- PlanningListReminders lists the services that have reminders of their own.
SELECT service_id, (spec -> 'reminders')::json AS reminders
FROM services
WHERE tenant_id = $1 AND spec -> 'reminders' IS NOT NULL
ORDER BY service_id;

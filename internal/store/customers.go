package store

import "holdfast/internal/store/internal/dbsqlc"

// queueCustomerUpdate queues what differs between a customer as it was read and as it is to be.
func queueCustomerUpdate(t *tx, was, is Customer) {
	change := dbsqlc.CustomerUpdateParams{
		TenantID: t.tenant, CustomerID: was.CustomerID, Name: ifChanged(&was.Name, &is.Name), Phone: ifChanged(was.Phone, is.Phone),
		TimeZone: ifChanged(was.TimeZone, is.TimeZone), Birthday: ifChanged(was.Birthday, is.Birthday),
	}
	if change.Name == nil && change.Phone == nil && change.TimeZone == nil && change.Birthday == nil {
		return
	}
	exec(&t.batch, "update the customer", func(q *dbsqlc.Queries) error { return q.CustomerUpdate(t.ctx, change) })
}

// ifChanged returns the new value, nil if it is the same as before.
func ifChanged[T comparable](was, is *T) *T {
	if is == nil || was != nil && *was == *is {
		return nil
	}
	return is
}

func queueCustomer(t *tx, c Customer) {
	exec(&t.batch, "insert the customer", func(q *dbsqlc.Queries) error {
		return q.CustomerInsert(t.ctx, dbsqlc.CustomerInsertParams{
			TenantID: t.tenant, CustomerID: c.CustomerID, Email: c.Email, Name: c.Name, Phone: c.Phone,
			TimeZone: c.TimeZone, Birthday: c.Birthday, CreatedAt: t.now,
		})
	})
}

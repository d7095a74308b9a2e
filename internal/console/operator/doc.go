// Package operator is the console of whoever runs the server, at /operator: tenants, locks and metrics. It decides
// nothing. A page calls the use case that the admin API calls, and whoever has the admin key may see it. Pages work
// without JavaScript; assets/operator.js loads the pages anew on which something changes by itself.
//
//	operator.go       the routes, and what each request passes
//	session.go        the cookie of a browser in which the operator is signed in
//	visit.go          a request: who is signed in, the form
//	respond.go        rendering, and what a failure looks like
//	sign_in.go        signing in and out
//	tenants.go        the list of tenants, and a new one
//	tenant.go         a tenant: correcting, suspending and resuming it
//	keys.go, users.go a tenant's API keys and users
//	money.go          a tenant's account at the payment provider, and reconciliation
//	end.go            exporting and deleting a tenant
//	locks.go          the locks of the database
//	plots.go, plot.go the figures of the alerts, read from the alerts' file
//	samples.go        the newest samples of the metrics, which Prometheus' engine reads
//	sampler.go        the figures of the last hour, evaluated as Prometheus does
//	metrics.go, svg.go  the page of the plots, and how they are drawn
package operator

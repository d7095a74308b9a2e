package webhook

import "strconv"

// BeginProbe is what a delivery asks before it is sent to an endpoint whose circuit was open when the delivery was
// loaded.
var BeginProbe = (*Service).beginProbe

// EndConnections ends the connections that a client keeps, as their age does.
func EndConnections(c *Client) {
	c.connections.mu.Lock()
	defer c.connections.mu.Unlock()
	c.connections.end(func(*kept) bool { return true })
}

// KeepURLs has a client keep connections to so many URLs.
func KeepURLs(c *Client, n int) {
	for i := range n {
		_, release := c.connections.use(strconv.Itoa(i), "http")
		release()
	}
}

// LimitBacklog has an endpoint of the operator that is down disabled when so many deliveries wait.
func LimitBacklog(s *Service, n int64) { s.maxBacklog = n }

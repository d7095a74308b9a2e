package groupcommit

// OpenSize returns how many requests are in the open group of key, its leader included.
func (g *Groups[V]) OpenSize(key string) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	if open := g.open[key]; open != nil {
		return len(open.requests)
	}
	return 0
}

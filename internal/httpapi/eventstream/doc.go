// Package eventstream sends the feed of events as server-sent events, for as long as a client listens.
//
//	accept.go  whether a request asks for a stream
//	limits.go  how many streams may be open, and the times of each
//	stream.go  one stream
package eventstream

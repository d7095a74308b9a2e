package httpapi

import "time"

// crewRest is how long a worker waits for more to do before it ends.
const crewRest = 10 * time.Second

// crew does work on goroutines that it keeps. A goroutine's stack grows by being copied, and shrinks when the garbage
// collector finds it mostly unused: where thousands of connections take turns, each would grow its own stack for each
// request and keep it for long after. How many workers there are is up to the bulkheads in front of them.
type crew struct {
	jobs chan func()
}

func newCrew() crew { return crew{jobs: make(chan func())} }

// do returns when a worker has done a job. If the job panics, so does do.
func (w crew) do(job func()) {
	ended := make(chan any, 1)
	watched := func() {
		defer func() { ended <- recover() }()
		job()
	}
	select {
	case w.jobs <- watched:
	default:
		go w.work(watched)
	}
	if v := <-ended; v != nil {
		panic(v)
	}
}

func (w crew) work(job func()) {
	rest := time.NewTimer(crewRest)
	defer rest.Stop()
	for {
		job()
		rest.Reset(crewRest)
		select {
		case job = <-w.jobs:
		case <-rest.C:
			return
		}
	}
}

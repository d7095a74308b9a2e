package cluster

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"holdfast/internal/servertest"
)

const (
	readyPoll    = 20 * time.Millisecond
	restartPause = 200 * time.Millisecond
	// stopLimit is how long a process may take to end by itself after it was told to.
	stopLimit = 30 * time.Second
	// tailSize is how much of a process's output an error quotes, in bytes.
	tailSize = 64 << 10
)

// Process keeps a program running, as the supervisor of a server does: what ends without being told to is started
// again. It is safe for concurrent use.
type Process struct {
	// Name is for reports, such as "server 1".
	Name string

	config servertest.Config
	ready  func(context.Context) error

	mu      sync.Mutex
	changed *sync.Cond
	wanted  bool
	closed  bool
	extra   []string            // environment from the next start on
	running *servertest.Process // nil while it is down
	isReady bool
	// crashes tell of each time that it ended by itself after it had been ready.
	crashes []string
	done    chan struct{}
}

func newProcess(name string, config servertest.Config, ready func(context.Context) error) *Process {
	p := &Process{Name: name, config: config, ready: ready, done: make(chan struct{})}
	p.changed = sync.NewCond(&p.mu)
	go p.supervise()
	return p
}

// Start has the program run from now on, with extra variables in its environment, and returns when it is ready or ctx
// ends.
func (p *Process) Start(ctx context.Context, extra ...string) error {
	defer context.AfterFunc(ctx, func() {
		p.mu.Lock() // whoever has looked at ctx waits by now
		defer p.mu.Unlock()
		p.changed.Broadcast()
	})()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wanted, p.extra = true, slices.Clone(extra)
	p.changed.Broadcast()
	for !p.isReady {
		if ctx.Err() != nil {
			return fmt.Errorf("wait until %s is ready: %w: %s", p.Name, ctx.Err(), p.outputTail())
		}
		p.changed.Wait()
	}
	return nil
}

// Kill ends the program at once, as kill -9 does, and keeps it down until Start.
func (p *Process) Kill() {
	_ = p.end(func(running *servertest.Process) error {
		running.Kill()
		return nil
	})
}

// Stop asks the program to end, waits until it has, and keeps it down until Start. One that doesn't end is killed, and
// the error says so.
func (p *Process) Stop() error {
	return p.end(func(running *servertest.Process) error {
		if err := running.Stop(stopLimit); err != nil {
			return fmt.Errorf("stop %s: %w", p.Name, err)
		}
		return nil
	})
}

// Freeze stops the program where it is (SIGSTOP), Thaw lets it go on.
func (p *Process) Freeze() { p.signal(syscall.SIGSTOP) }

// Thaw ends Freeze.
func (p *Process) Thaw() { p.signal(syscall.SIGCONT) }

// Crashes returns an account of each time that the program ended by itself although it had been ready.
func (p *Process) Crashes() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.crashes)
}

// Close ends the program and its supervision.
func (p *Process) Close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.Kill()
	p.changed.Broadcast()
	<-p.done
}

func (p *Process) signal(s syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.running != nil {
		_ = p.running.Signal(s) // fails only if it has ended
	}
}

// end keeps the program down until Start. It ends a running one with stop, and returns when supervise has noticed.
func (p *Process) end(stop func(*servertest.Process) error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wanted = false
	running := p.running
	if running == nil {
		return nil
	}
	p.mu.Unlock()
	err := stop(running)
	p.mu.Lock()
	for p.running == running {
		p.changed.Wait()
	}
	return err
}

// supervise starts the program whenever it is wanted and isn't there.
func (p *Process) supervise() {
	defer close(p.done)
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		for !p.wanted && !p.closed {
			p.changed.Wait()
		}
		if p.closed {
			return
		}
		err := p.run()
		if p.isReady && p.wanted {
			p.crashes = append(p.crashes, fmt.Sprintf("%s ended by itself: %v", p.Name, err))
		}
		p.running, p.isReady = nil, false
		p.changed.Broadcast()
		if p.wanted { // the database may be away, which ends a server that starts
			p.mu.Unlock()
			time.Sleep(restartPause)
			p.mu.Lock()
		}
	}
}

// run runs the program once. It is called with mu locked, and unlocks it meanwhile.
func (p *Process) run() error {
	config := p.config
	config.Env = slices.Concat(config.Env, p.extra)
	running, err := servertest.Start(config)
	if err != nil {
		return fmt.Errorf("start %s: %w", p.Name, err)
	}
	p.running = running
	p.mu.Unlock()
	ctx, cancel := context.WithCancel(context.Background())
	var probe sync.WaitGroup
	probe.Go(func() { p.awaitReady(ctx) })
	state := running.State()
	cancel()
	probe.Wait()
	p.mu.Lock()
	return errors.New(state.String())
}

// outputTail returns the end of what the program has written.
func (p *Process) outputTail() string {
	return servertest.Output(filepath.Join(p.config.OutputDir, "stderr")).Tail(tailSize)
}

func (p *Process) awaitReady(ctx context.Context) {
	for p.ready(ctx) != nil {
		select {
		case <-ctx.Done():
			return
		case <-time.After(readyPoll):
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.isReady = ctx.Err() == nil
	p.changed.Broadcast()
}

package main

import (
	"container/heap"
	"time"

	"gvisor.dev/gvisor/pkg/tcpip/seqnum"
)

// event is something that happens on the path. Events at one instant happen in the order in which they were scheduled.
type event struct {
	at    time.Time
	order int
	do    func()
}

type events struct {
	queue []event
	count int
	timer time.Time
}

func (e *events) Len() int { return len(e.queue) }
func (e *events) Less(i, j int) bool {
	a, b := e.queue[i], e.queue[j]
	return a.at.Before(b.at) || a.at.Equal(b.at) && a.order < b.order
}
func (e *events) Swap(i, j int) { e.queue[i], e.queue[j] = e.queue[j], e.queue[i] }
func (e *events) Push(x any)    { e.queue = append(e.queue, x.(event)) }
func (e *events) Pop() any {
	last := e.queue[len(e.queue)-1]
	e.queue = e.queue[:len(e.queue)-1]
	return last
}

// schedule has something happen then, on a timer of the clock that the stack has, too.
func (p *path) schedule(at time.Time, do func()) {
	p.events.count++
	heap.Push(&p.events, event{at, p.events.count, do})
	if p.events.timer.IsZero() || at.Before(p.events.timer) {
		p.arm(at)
	}
}

func (p *path) arm(at time.Time) {
	p.events.timer = at
	p.clock.AfterFunc(at.Sub(p.clock.Now()), func() { p.due(at) })
}

// due does what is due; a timer that an earlier one took the place of finds nothing.
func (p *path) due(at time.Time) {
	if !p.events.timer.Equal(at) {
		return
	}
	for p.events.Len() > 0 && !p.events.queue[0].at.After(p.clock.Now()) {
		heap.Pop(&p.events).(event).do()
	}
	p.events.timer = time.Time{}
	if p.events.Len() > 0 {
		p.arm(p.events.queue[0].at)
	}
}

// seqOf is the sequence number at which packet n, counted from 0, begins.
func seqOf(p *path, n uint32) seqnum.Value { return seqnum.Value(p.iss + 1 + n*segment) }

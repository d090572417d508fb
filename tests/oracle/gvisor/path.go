package main

import (
	"bytes"
	"time"

	"gvisor.dev/gvisor/pkg/buffer"
	"gvisor.dev/gvisor/pkg/tcpip"
	"gvisor.dev/gvisor/pkg/tcpip/faketime"
	"gvisor.dev/gvisor/pkg/tcpip/header"
	"gvisor.dev/gvisor/pkg/tcpip/link/channel"
	"gvisor.dev/gvisor/pkg/tcpip/network/ipv4"
	"gvisor.dev/gvisor/pkg/tcpip/stack"
	"gvisor.dev/gvisor/pkg/tcpip/transport/tcp"
	"gvisor.dev/gvisor/pkg/waiter"
)

const (
	segment = 1000
	port    = 80
	nic     = 1
	irs     = 789
	scale   = 5
)

var (
	here  = tcpip.AddrFrom4([4]byte{10, 0, 0, 1})
	there = tcpip.AddrFrom4([4]byte{10, 0, 0, 2})
)

// line keeps packets in order: a service time each, then the delay. Some are lost, some come later.
type line struct {
	service, delay time.Duration
	free           time.Time
	lost           map[int]int
	late           map[int]time.Duration
}

func newLine(t Table, c Case) *line {
	us := time.Microsecond
	l := &line{service: time.Duration(t.Service) * us, delay: time.Duration(t.Delay) * us, lost: map[int]int{}, late: map[int]time.Duration{}}
	for _, n := range c.Lost {
		l.lost[n]++
	}
	for _, pair := range c.Late {
		l.late[int(pair[0])] = time.Duration(pair[1]) * us
	}
	return l
}

// take is the time until packet n, which goes now, arrives, if it does.
func (l *line) take(n int, now time.Time) (time.Duration, bool) {
	late := l.late[n]
	delete(l.late, n)
	l.lost[n]--
	if l.free.Before(now) {
		l.free = now
	}
	l.free = l.free.Add(l.service)
	return l.free.Add(l.delay).Add(late).Sub(now), l.lost[n] < 0
}

// path is a sender on gVisor's stack, the line, and a receiver.
type path struct {
	clock   *faketime.ManualClock
	link    *channel.Endpoint
	line    *line
	ep      tcpip.Endpoint
	wq      waiter.Queue
	events  events
	timer   tcpip.Timer
	probed  chan struct{}
	onData  func(n int)
	onState func(*tcp.TCPEndpointState)
	iss     uint32
	peer    uint16
	window  uint16
	// The receiver: what it expects next, and what came out of order, blocks of them newest first.
	next      uint32
	held      map[uint32]bool
	blocks    []header.SACKBlock
	completed time.Time
}

func must(err tcpip.Error) {
	if err != nil {
		panic(err.String())
	}
}

func newPath(l *line, way Way) *path {
	p := &path{clock: faketime.NewManualClock(), line: l, window: uint16(way.Window * segment >> scale), probed: make(chan struct{}, 16), held: map[uint32]bool{}}
	probe := func(s *tcp.TCPEndpointState) {
		if p.onState != nil {
			p.onState(s)
		}
		p.probed <- struct{}{}
	}
	s := stack.New(stack.Options{
		Clock:              p.clock,
		NetworkProtocols:   []stack.NetworkProtocolFactory{ipv4.NewProtocol},
		TransportProtocols: []stack.TransportProtocolFactory{tcp.NewProtocolProbe(probe)},
	})
	chosen := tcpip.CongestionControlOption(way.Control)
	must(s.SetTransportProtocolOption(tcp.ProtocolNumber, &chosen))
	rack := tcpip.TCPRecovery(0)
	if way.Recovery == "rack" {
		rack = tcpip.TCPRACKLossDetection
	}
	must(s.SetTransportProtocolOption(tcp.ProtocolNumber, &rack))
	p.link = channel.New(4096, 1500, "")
	p.link.AddNotify(p)
	must(s.CreateNIC(nic, p.link))
	must(s.AddProtocolAddress(nic, tcpip.ProtocolAddress{
		Protocol:          ipv4.ProtocolNumber,
		AddressWithPrefix: here.WithPrefix(),
	}, stack.AddressProperties{}))
	s.SetRouteTable([]tcpip.Route{{Destination: header.IPv4EmptySubnet, NIC: nic}})
	ep, err := s.NewEndpoint(tcp.ProtocolNumber, ipv4.ProtocolNumber, &p.wq)
	must(err)
	p.ep = ep
	p.ep.SocketOptions().SetDelayOption(false)
	return p
}

// connect has the three-way handshake at once, with SACK and without time stamps.
func (p *path) connect() {
	entry, ready := waiter.NewChannelEntry(waiter.WritableEvents)
	p.wq.EventRegister(&entry)
	defer p.wq.EventUnregister(&entry)
	if _, started := p.ep.Connect(tcpip.FullAddress{Addr: there, Port: port}).(*tcpip.ErrConnectStarted); !started {
		panic("expected the connection to start")
	}
	options := make([]byte, 12)
	// The stack leaves room for SACK blocks in every segment.
	at := header.EncodeMSSOption(segment+header.TCPOptionsMaximumSize-4, options)
	at += header.EncodeSACKPermittedOption(options[at:])
	at += header.EncodeWSOption(scale, options[at:])
	for ; at < len(options); at++ {
		options[at] = header.TCPOptionNOP
	}
	// The round trip of the handshake is that of a packet.
	p.clock.Advance(p.line.service + 2*p.line.delay)
	p.inject(header.TCPFlagSyn|header.TCPFlagAck, irs, p.iss+1, options)
	<-ready
}

// write has so many packets sent.
func (p *path) write(packets int) {
	size := packets * segment
	if n, err := p.ep.Write(bytes.NewReader(make([]byte, size)), tcpip.WriteOptions{}); err != nil || n != int64(size) {
		panic("expected everything to be taken")
	}
}

// WriteNotify takes what the stack sends.
func (p *path) WriteNotify() {
	packet := p.link.Read()
	defer packet.DecRef()
	view := packet.ToView()
	ip := header.IPv4(view.AsSlice())
	t := header.TCP(ip.Payload())
	if t.Flags().Contains(header.TCPFlagSyn) {
		p.iss, p.peer = t.SequenceNumber(), t.SourcePort()
		return
	}
	if len(t.Payload()) == 0 {
		return
	}
	if len(t.Payload()) != segment {
		panic("expected whole segments")
	}
	index := (t.SequenceNumber() - p.iss - 1) / segment
	p.onData(int(index) + 1)
	if after, comes := p.line.take(int(index)+1, p.clock.Now()); comes {
		p.schedule(p.clock.Now().Add(after), func() { p.arrive(index) })
	}
}

// arrive acknowledges a packet at once.
func (p *path) arrive(index uint32) {
	bounds := func(a, b uint32) header.SACKBlock {
		return header.SACKBlock{Start: seqOf(p, a), End: seqOf(p, b)}
	}
	var first []header.SACKBlock
	switch {
	case index < p.next || p.held[index]:
		// A duplicate is named first (RFC 2883).
		first = append(first, bounds(index, index+1))
	case index == p.next:
		p.next++
		for p.held[p.next] {
			delete(p.held, p.next)
			p.next++
		}
	default:
		p.held[index] = true
	}
	if index >= p.next && p.held[index] {
		a, b := index, index+1
		for a > 0 && p.held[a-1] {
			a--
		}
		for p.held[b] {
			b++
		}
		first = append(first, bounds(a, b))
	}
	// Then the blocks told before, but for those that are in one of these or were filled.
	for _, old := range p.blocks {
		known := old.Start.LessThan(seqOf(p, p.next))
		for _, block := range first {
			known = known || block.Start.LessThanEq(old.Start) && old.End.LessThanEq(block.End)
		}
		if !known {
			first = append(first, old)
		}
	}
	if len(first) > 3 {
		first = first[:3]
	}
	p.blocks = nil
	for _, block := range first {
		if !block.Start.LessThan(seqOf(p, p.next)) {
			p.blocks = append(p.blocks, block)
		}
	}
	p.completed = p.clock.Now()
	options := make([]byte, 40)
	n := header.EncodeSACKBlocks(first, options)
	for n%4 != 0 {
		options[n] = header.TCPOptionNOP
		n++
	}
	ack := uint32(seqOf(p, p.next))
	p.schedule(p.clock.Now().Add(p.line.delay), func() {
		p.inject(header.TCPFlagAck, irs+1, ack, options[:n])
		<-p.probed
	})
}

// inject gives the stack a packet from the receiver.
func (p *path) inject(flags header.TCPFlags, seq, ack uint32, options []byte) {
	const ipSize = header.IPv4MinimumSize
	window := p.window
	if flags.Contains(header.TCPFlagSyn) {
		// The window of a SYN is not scaled.
		window = uint16(min(int(p.window)<<scale, 65535))
	}
	size := ipSize + header.TCPMinimumSize + len(options)
	raw := make([]byte, size)
	ip := header.IPv4(raw)
	ip.Encode(&header.IPv4Fields{TotalLength: uint16(size), TTL: 64, Protocol: uint8(tcp.ProtocolNumber), SrcAddr: there, DstAddr: here})
	ip.SetChecksum(^ip.CalculateChecksum())
	t := header.TCP(raw[ipSize:])
	copy(t[header.TCPMinimumSize:], options)
	t.Encode(&header.TCPFields{
		SrcPort: port, DstPort: p.peer, SeqNum: seq, AckNum: ack,
		DataOffset: uint8(header.TCPMinimumSize + len(options)), Flags: flags, WindowSize: window,
	})
	sum := header.PseudoHeaderChecksum(tcp.ProtocolNumber, there, here, uint16(len(t)))
	t.SetChecksum(^t.CalculateChecksum(sum))
	packet := stack.NewPacketBuffer(stack.PacketBufferOptions{Payload: buffer.MakeWithData(raw)})
	p.link.InjectInbound(header.IPv4ProtocolNumber, packet)
	packet.DecRef()
}

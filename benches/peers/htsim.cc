// W1 to W4 in htsim: htsim WORKLOAD FLOWS SECONDS. Prints the packets that crossed the line.
#include <cstdio>
#include <string>

#include "cbr.h"
#include "eventlist.h"
#include "network.h"
#include "pipe.h"
#include "queue.h"
#include "tcp.h"

int main(int, char **argv) {
    const std::string work = argv[1];
    const int flows = std::stoi(argv[2]);
    const double seconds = std::stod(argv[3]);
    const bool tcp = work == "W2" || work == "W3";
    const bool fast = work == "W3" || work == "W4";
    const int packet = work == "W3" ? 1500 : 1000;
    // htsim writes a line for each timeout: a stream that has failed takes none.
    std::cout.setstate(std::ios::failbit);
    Packet::set_packet_size(packet);
    EventList &events = EventList::getTheEventList();
    EventList::setEndtime(timeFromSec(seconds));
    const linkspeed_bps rate = fast ? speedFromMbps(uint64_t(1000)) : speedFromMbps(uint64_t(10));
    const simtime_picosec delay = timeFromMs(work == "W2" ? 10 : work == "W3" ? 15 : 1);
    Queue line(rate, work == "W3" ? 3750000 : 64000, events, nullptr), back(rate, 3750000, events, nullptr);
    Pipe there(delay, events), home(delay, events);
    TcpRtxTimerScanner timers(timeFromMs(10), events);
    std::vector<CbrSink *> sinks;
    std::vector<TcpSink *> ends;
    srand48(1);
    for (int i = 0; i < flows; ++i) {
        Route *out = new Route();
        out->push_back(&line);
        out->push_back(&there);
        if (tcp) {
            TcpSrc *source = new TcpSrc(nullptr, nullptr, events);
            TcpSink *sink = new TcpSink();
            // Slow start may fill path and buffer: of W3, with four flows, a quarter of both.
            source->set_ssthresh(packet * (work == "W2" ? 1000 : 5000 / flows));
            out->push_back(sink);
            Route *in = new Route();
            in->push_back(&back);
            in->push_back(&home);
            in->push_back(source);
            source->connect(*out, *in, *sink, 0);
            timers.registerTcp(*source);
            ends.push_back(sink);
        } else {
            const double bits = work == "W1" ? (i + 1) * 312500.0 : 2e9 / flows;
            CbrSrc *source = new CbrSrc(events, linkspeed_bps(bits));
            CbrSink *sink = new CbrSink();
            source->_mss = packet;
            source->_period = timeFromSec(8.0 * packet / bits);
            out->push_back(sink);
            source->connect(*out, *sink, work == "W1" ? 0 : simtime_picosec(drand48() * source->_period));
            sinks.push_back(sink);
        }
    }
    while (EventList::doNextEvent()) {}
    uint64_t packets = 0;
    for (const TcpSink *end : ends) packets += end->_packets / packet;
    for (const CbrSink *sink : sinks) packets += sink->_received;
    std::printf("%llu\n", static_cast<unsigned long long>(packets));
}

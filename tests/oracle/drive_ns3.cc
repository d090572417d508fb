// ns-3's congestion controls, driven by events on the standard input; answers as `headgate control --stdio` does.
// ns-3 is GPL-2.0-only: this program runs by itself and nothing of it is linked with or copied into headgate.
// Build: unzip the wheel ns3 3.44.post0 from PyPI to DIR, then
//   g++ -std=c++20 -IDIR/ns3/include drive_ns3.cc -LDIR/ns3/lib64 -lns3.44-internet -lns3.44-network -lns3.44-core
//       -Wl,--allow-shlib-undefined -Wl,-rpath,DIR/ns3/lib64 -o drive_ns3
#include <ns3/core-module.h>
#include <ns3/tcp-bbr.h>
#include <ns3/tcp-congestion-ops.h>
#include <ns3/tcp-cubic.h>
#include <ns3/tcp-dctcp.h>
#include <ns3/tcp-ledbat.h>
#include <ns3/tcp-linux-reno.h>
#include <ns3/tcp-rate-ops.h>
#include <ns3/tcp-socket-state.h>
#include <ns3/tcp-vegas.h>

#include <iostream>
#include <map>
#include <set>
#include <sstream>

using namespace ns3;

static const uint32_t SEGMENT = 1000;

struct Line
{
    int64_t t = 0;
    std::string ev;
    int64_t pn = -1;
    int64_t n = 1;
    int64_t rtt = 0;
    bool limited = true;
};

// The events are flat: a name, a colon, a number or a word.
static Line
Parse(const std::string& text)
{
    Line line;
    auto number = [&](const char* name, int64_t otherwise) {
        auto at = text.find(std::string("\"") + name + "\":");
        return at == std::string::npos ? otherwise : std::stoll(text.substr(text.find(':', at) + 1));
    };
    line.t = number("t", 0);
    line.pn = number("pn", -1);
    line.n = number("n", 1);
    line.rtt = number("rtt", 0);
    line.limited = text.find("false") == std::string::npos;
    auto at = text.find("\"ev\": \"") + 7;
    line.ev = text.substr(at, text.find('"', at) - at);
    return line;
}

// What a packet carries for the delivery-rate sample of its acknowledgement.
struct Stamp
{
    uint64_t delivered;
    Time deliveredAt;
    Time first;
    Time sent;
};

struct Flow
{
    Ptr<TcpCongestionOps> ops;
    Ptr<TcpSocketState> tcb;
    std::set<int64_t> out;
    int64_t next = 0;
    int64_t recover = 0;
    int64_t highest = 0;
    bool marked = false;
    // For BBR: the connection's rates, and the stamps of the packets out. It needs a stream without losses: see Cut, which sets the window itself.
    TcpRateOps::TcpRateConnection rates;
    Time first;
    std::map<int64_t, Stamp> stamps;

    void Sample(const Line& e)
    {
        auto stamp = stamps.at(e.pn);
        stamps.erase(e.pn);
        Time now = Simulator::Now();
        rates.m_delivered += SEGMENT;
        rates.m_deliveredTime = now;
        rates.m_txItemDelivered = stamp.delivered;
        first = stamp.sent;
        TcpRateOps::TcpRateSample sample;
        sample.m_priorDelivered = stamp.delivered;
        sample.m_priorTime = stamp.deliveredAt;
        sample.m_sendElapsed = stamp.sent - stamp.first;
        sample.m_ackElapsed = now - stamp.deliveredAt;
        sample.m_delivered = rates.m_delivered - stamp.delivered;
        sample.m_interval = std::max(sample.m_sendElapsed, sample.m_ackElapsed);
        sample.m_priorInFlight = (out.size() + 1) * SEGMENT;
        sample.m_ackedSacked = SEGMENT;
        sample.m_isAppLimited = !e.limited;
        sample.m_deliveryRate = DataRate(sample.m_delivered * 8 / sample.m_interval.GetSeconds());
        tcb->m_bytesInFlight = out.size() * SEGMENT;
        tcb->m_lastRtt = NanoSeconds(e.rtt);
        tcb->m_srtt = tcb->m_srtt.Get() == Time::Max() ? NanoSeconds(e.rtt) : tcb->m_srtt.Get() * 7 / 8 + NanoSeconds(e.rtt) / 8;
        ops->CongControl(tcb, rates, sample);
    }

    void Cut(TcpSocketState::TcpCongState_t state)
    {
        tcb->m_ssThresh = ops->GetSsThresh(tcb, out.size() * SEGMENT);
        tcb->m_cWnd = tcb->m_ssThresh;
        tcb->m_congState = state;
        ops->CongestionStateSet(tcb, state);
        recover = next;
    }

    void Handle(Line e)
    {
        Take(e);
        Answer(e);
    }

    void Take(const Line& e)
    {
        if (e.ev == "sent")
        {
            if (out.empty())
            {
                first = rates.m_deliveredTime = Simulator::Now();
            }
            stamps[next] = {rates.m_delivered, rates.m_deliveredTime, first, Simulator::Now()};
            out.insert(next++);
            tcb->m_bytesInFlight = out.size() * SEGMENT;
            tcb->m_nextTxSequence = SequenceNumber32(1 + next * SEGMENT);
            tcb->m_highTxMark = tcb->m_nextTxSequence.Get();
        }
        else if (e.ev == "loss")
        {
            int64_t newest = -1;
            for (int64_t i = 0; i < e.n; i++)
            {
                newest = *out.begin();
                out.erase(out.begin());
            }
            if (newest >= recover)
            {
                Cut(TcpSocketState::CA_RECOVERY);
            }
        }
        else if (e.ev == "ce")
        {
            marked = true;
        }
        else if (e.ev == "ack")
        {
            out.erase(e.pn);
            highest = std::max(highest, e.pn + 1);
            tcb->m_lastAckedSeq = SequenceNumber32(1 + highest * SEGMENT);
            tcb->m_isCwndLimited = e.limited;
            if (marked)
            {
                tcb->m_ecnState = TcpSocketState::ECN_ECE_RCVD;
            }
            Time rtt = NanoSeconds(e.rtt);
            // LEDBAT reads the delay off time stamps in milliseconds, of which only the differences count: that there and back is as good as the one-way one.
            tcb->m_rcvTimestampValue = Simulator::Now().GetMilliSeconds();
            tcb->m_rcvTimestampEchoReply = (Simulator::Now() - rtt).GetMilliSeconds();
            tcb->m_minRtt = std::min(tcb->m_minRtt, rtt);
            ops->PktsAcked(tcb, 1, rtt);
            if (ops->HasCongControl())
            {
                Sample(e);
                return;
            }
            tcb->m_ecnState = TcpSocketState::ECN_IDLE;
            if (marked && highest > recover)
            {
                Cut(TcpSocketState::CA_CWR);
                marked = false;
            }
            else
            {
                marked = false;
                if (highest > recover && tcb->m_congState != TcpSocketState::CA_OPEN)
                {
                    tcb->m_congState = TcpSocketState::CA_OPEN;
                    ops->CongestionStateSet(tcb, TcpSocketState::CA_OPEN);
                }
                // Between a mark and the end of its window the window may grow, after a loss not (RFC 8257, section 3.3).
                if (tcb->m_congState != TcpSocketState::CA_RECOVERY)
                {
                    ops->IncreaseWindow(tcb, 1);
                }
            }
        }
    }

    void Answer(const Line& e)
    {
        double threshold = tcb->m_ssThresh.Get();
        std::cout << "{\"t\": " << e.t << ", \"cwnd\": " << tcb->m_cWnd.Get() / double(SEGMENT) << ", \"ssthresh\": ";
        if (threshold > 4e9)
        {
            std::cout << "null}\n";
        }
        else
        {
            std::cout << threshold / SEGMENT << "}\n";
        }
    }
};

int
main(int argc, char** argv)
{
    std::string name = argc > 1 ? argv[1] : "";
    Flow flow;
    flow.tcb = CreateObject<TcpSocketState>();
    if (name == "reno")
    {
        flow.ops = CreateObject<TcpLinuxReno>();
    }
    else if (name == "cubic")
    {
        flow.ops = CreateObjectWithAttributes<TcpCubic>("HyStart", BooleanValue(false));
    }
    else if (name == "vegas")
    {
        flow.ops = CreateObject<TcpVegas>();
    }
    else if (name == "bbr1")
    {
        flow.ops = CreateObject<TcpBbr>();
        flow.tcb->m_pacing = true;
        // It begins with this as the least round trip.
        flow.tcb->m_srtt = Time::Max();
        flow.tcb->m_maxPacingRate = DataRate("1Gbps");
    }
    else if (name == "ledbat")
    {
        flow.ops = CreateObjectWithAttributes<TcpLedbat>("SSParam", StringValue("no"));
    }
    else if (name == "dctcp")
    {
        auto dctcp = CreateObject<TcpDctcp>();
        flow.ops = dctcp;
    }
    else
    {
        std::cerr << "expected reno, cubic, vegas, ledbat, dctcp or bbr1\n";
        return 2;
    }
    flow.tcb->m_segmentSize = SEGMENT;
    flow.tcb->m_cWnd = 10 * SEGMENT;
    flow.tcb->m_initialCWnd = 10 * SEGMENT;
    flow.tcb->m_ssThresh = UINT32_MAX;
    flow.tcb->m_minRtt = Time::Max();
    flow.tcb->m_nextTxSequence = SequenceNumber32(1);
    flow.tcb->m_lastAckedSeq = SequenceNumber32(1);
    flow.tcb->m_congState = TcpSocketState::CA_OPEN;
    flow.ops->CongestionStateSet(flow.tcb, TcpSocketState::CA_OPEN);
    std::string text;
    while (std::getline(std::cin, text))
    {
        Line line = Parse(text);
        // The clock must not stand at 0: CUBIC takes that for unknown.
        Simulator::Schedule(NanoSeconds(line.t) + Seconds(1), &Flow::Handle, &flow, line);
    }
    Simulator::Run();
    Simulator::Destroy();
    return 0;
}

// A queue disc of ns-3 before a line: which packets it drops or marks, and when the others start. See README.md.
// ns-3 is GPL-2.0-only: this program runs by itself and nothing of it is linked with or copied into headgate.
// Build: as drive_ns3.cc, with -lns3.44-traffic-control before the other libraries.
// Run: drive_ns3_queue TYPE RATE SEED NAME=VALUE... with the rate in bit/s and ns-3's names of attributes ("Quantum" is a setter of its FQ discs).
// A packet of the standard input is a line "time flow bytes ecn": nanoseconds, a number from 0 on, and 0 or 1 for whether it may be marked. An answer is
// a line "what packet time": S its transmission starts, D it is dropped, M it is marked; packets have numbers from 0 on.
#include <ns3/core-module.h>
#include <ns3/fq-cobalt-queue-disc.h>
#include <ns3/fq-codel-queue-disc.h>
#include <ns3/fq-pie-queue-disc.h>
#include <ns3/packet.h>
#include <ns3/queue-disc.h>
#include <ns3/rng-seed-manager.h>

#include <iostream>
#include <sstream>

using namespace ns3;

static void
Say(char what, uint32_t number)
{
    std::cout << what << ' ' << number << ' ' << Simulator::Now().GetNanoSeconds() << '\n';
}

class Item : public QueueDiscItem
{
  public:
    Item(uint32_t number, uint32_t flow, uint32_t bytes, bool capable)
        : QueueDiscItem(Create<ns3::Packet>(bytes), Address(), 0),
          m_number(number),
          m_flow(flow),
          m_capable(capable)
    {
    }

    void AddHeader() override
    {
    }

    bool Mark() override
    {
        if (m_capable)
        {
            Say('M', m_number);
        }
        return m_capable;
    }

    // Each flow has the queue of its number.
    uint32_t Hash(uint32_t) const override
    {
        return m_flow;
    }

    uint32_t m_number;
    uint32_t m_flow;
    bool m_capable;
};

static Ptr<QueueDisc> g_queue;
static double g_rate;
static bool g_busy = false;

static void
Start()
{
    Ptr<QueueDiscItem> item = g_queue->Dequeue();
    g_busy = bool(item);
    if (g_busy)
    {
        Say('S', DynamicCast<Item>(item)->m_number);
        auto time = NanoSeconds(int64_t(item->GetSize() * 8e9 / g_rate + 0.5));
        Simulator::Schedule(time, &Start);
    }
}

static void
Arrive(Ptr<Item> item)
{
    g_queue->Enqueue(item);
    if (!g_busy)
    {
        Start();
    }
}

static void
Dropped(Ptr<const QueueDiscItem> item)
{
    Say('D', DynamicCast<const Item>(item)->m_number);
}

int
main(int argc, char** argv)
{
    if (argc < 4)
    {
        std::cerr << "usage: drive_ns3_queue TYPE RATE SEED NAME=VALUE...\n";
        return 2;
    }
    g_rate = std::stod(argv[2]);
    RngSeedManager::SetRun(std::stoull(argv[3]));
    ObjectFactory factory(std::string("ns3::") + argv[1]);
    uint32_t quantum = 0;
    for (int i = 4; i < argc; i++)
    {
        std::string text = argv[i];
        auto at = text.find('=');
        std::string name = text.substr(0, at), value = text.substr(at + 1);
        if (name == "Quantum")
        {
            quantum = std::stoul(value);
        }
        else
        {
            factory.Set(name, StringValue(value));
        }
    }
    g_queue = factory.Create<QueueDisc>();
    if (auto fq = DynamicCast<FqCoDelQueueDisc>(g_queue))
    {
        fq->SetQuantum(quantum);
    }
    else if (auto fq = DynamicCast<FqPieQueueDisc>(g_queue))
    {
        fq->SetQuantum(quantum);
    }
    else if (auto fq = DynamicCast<FqCobaltQueueDisc>(g_queue))
    {
        fq->SetQuantum(quantum);
    }
    g_queue->TraceConnectWithoutContext("Drop", MakeCallback(&Dropped));
    g_queue->Initialize();
    std::string text;
    uint32_t number = 0;
    int64_t last = 0;
    while (std::getline(std::cin, text))
    {
        std::istringstream words(text);
        uint32_t flow, bytes, capable;
        words >> last >> flow >> bytes >> capable;
        auto item = Create<Item>(number++, flow, bytes, capable != 0);
        Simulator::Schedule(NanoSeconds(last), &Arrive, item);
    }
    // Controllers have timers that never end.
    Simulator::Stop(NanoSeconds(last) + Seconds(10));
    Simulator::Run();
    Simulator::Destroy();
    return 0;
}

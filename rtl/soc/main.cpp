// Runs a program on isopod_soc:  soc --elf FILE --cycles LIMIT [--latency N] [-- WORDS...]
// The exit status is the program's; 124 when the limit of cycles is reached, 2 for wrong usage. The
// console is standard output. The host device offers the operations of ports/semihosting.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "Vtop.h"
#include "Vtop___024root.h"
#include "verilated.h"

namespace {

constexpr int LIMIT_STATUS = 124;
constexpr int USAGE_STATUS = 2;

struct Options {
    std::string elf;
    uint64_t cycles = 0;
    unsigned latency = 0;
    std::string line;
};

Options parse(int argc, char **argv) {
    Options options;
    int i = 1;
    for (; i + 1 < argc && std::strcmp(argv[i], "--") != 0; i += 2) {
        const std::string name = argv[i];
        if (name == "--elf") {
            options.elf = argv[i + 1];
        } else if (name == "--cycles") {
            options.cycles = std::stoull(argv[i + 1]);
        } else if (name == "--latency") {
            options.latency = static_cast<unsigned>(std::stoul(argv[i + 1]));
        } else {
            throw std::runtime_error("unknown option " + name);
        }
    }
    if (options.elf.empty() || options.cycles == 0 || options.latency > 255) {
        throw std::runtime_error("--elf FILE and --cycles LIMIT are needed; --latency is 0 .. 255");
    }
    options.line = options.elf;
    for (i++; i < argc; i++) {
        options.line += std::string(" ") + argv[i];
    }
    return options;
}

// The memory of the system, by byte address.
class Memory {
  public:
    explicit Memory(Vtop___024root *root) : words_(root->isopod_soc__DOT__u_memory__DOT__memory) {}

    uint8_t read(uint32_t address) const {
        return static_cast<uint8_t>(words_[index(address)] >> (address % 8 * 8));
    }

    void write(uint32_t address, uint8_t value) {
        uint64_t &word = words_[index(address)];
        const unsigned shift = address % 8 * 8;
        word = (word & ~(uint64_t{0xff} << shift)) | uint64_t{value} << shift;
    }

    uint32_t word(uint32_t address) const {
        return read(address) | read(address + 1) << 8 | read(address + 2) << 16 |
               static_cast<uint32_t>(read(address + 3)) << 24;
    }

    std::string text(uint32_t address) const {
        std::string out;
        for (uint8_t byte; (byte = read(address++)) != 0;) {
            out += static_cast<char>(byte);
        }
        return out;
    }

  private:
    static constexpr uint32_t WORDS = 0x02000000 / 8;

    static uint32_t index(uint32_t address) {
        if (address / 8 >= WORDS) {
            throw std::runtime_error("the host was given an address beyond the memory");
        }
        return address / 8;
    }

    VlUnpacked<QData, WORDS> &words_;
};

uint32_t field(const std::vector<uint8_t> &file, size_t at, unsigned bytes) {
    uint32_t value = 0;
    for (unsigned i = 0; i < bytes; i++) {
        value |= static_cast<uint32_t>(file.at(at + i)) << (8 * i);
    }
    return value;
}

// Program headers of a 32-bit little-endian ELF file, to their physical addresses.
void load(Memory &memory, const std::string &path) {
    std::ifstream stream(path, std::ios::binary);
    const std::vector<uint8_t> file{std::istreambuf_iterator<char>(stream), {}};
    if (file.size() < 52 || std::memcmp(file.data(), "\177ELF\1\1", 6) != 0) {
        throw std::runtime_error(path + " is not a 32-bit little-endian ELF file");
    }
    const uint32_t headers = field(file, 28, 4), count = field(file, 44, 2);
    for (uint32_t i = 0; i < count; i++) {
        const size_t at = headers + size_t{32} * i;
        const uint32_t offset = field(file, at + 4, 4), address = field(file, at + 12, 4);
        const uint32_t bytes = field(file, at, 4) == 1 ? field(file, at + 16, 4) : 0;
        for (uint32_t b = 0; b < bytes; b++) {
            memory.write(address + b, file.at(offset + b));
        }
    }
}

// Operations of ports/semihosting/semihosting.c.
class Host {
  public:
    Host(Memory &memory, std::string line) : memory_(memory), line_(std::move(line)) {}

    bool ended() const { return ended_; }
    int status() const { return status_; }

    uint32_t call(uint32_t operation, uint32_t argument) {
        switch (operation) {
        case 0x01:
            return open(memory_.text(memory_.word(argument)), memory_.word(argument + 4));
        case 0x02:
            return close(memory_.word(argument));
        case 0x04:
            std::fputs(memory_.text(argument).c_str(), stdout);
            std::fflush(stdout);
            return 0;
        case 0x05:
            return transfer(argument, true);
        case 0x06:
            return transfer(argument, false);
        case 0x15:
            return command_line(argument);
        case 0x20:
            ended_ = true;
            status_ = static_cast<int>(memory_.word(argument + 4));
            return 0;
        default:
            throw std::runtime_error("unknown operation of the host device");
        }
    }

  private:
    using File = std::unique_ptr<std::FILE, int (*)(std::FILE *)>;

    uint32_t open(const std::string &path, uint32_t mode) {
        const char *how = mode < 4 ? "rb" : mode < 8 ? "wb" : "ab";
        File file(std::fopen(path.c_str(), how), std::fclose);
        if (!file) {
            return UINT32_MAX;
        }
        files_.push_back(std::move(file));
        return static_cast<uint32_t>(files_.size() - 1);
    }

    uint32_t close(uint32_t handle) {
        if (handle >= files_.size() || !files_[handle]) {
            return UINT32_MAX;
        }
        files_[handle].reset();
        return 0;
    }

    // Bytes that were not transferred.
    uint32_t transfer(uint32_t block, bool write) {
        const uint32_t handle = memory_.word(block), address = memory_.word(block + 4);
        const uint32_t length = memory_.word(block + 8);
        if (handle >= files_.size() || !files_[handle]) {
            return length;
        }
        std::vector<uint8_t> bytes(length);
        for (uint32_t i = 0; write && i < length; i++) {
            bytes[i] = memory_.read(address + i);
        }
        std::FILE *file = files_[handle].get();
        const size_t done = write ? std::fwrite(bytes.data(), 1, length, file)
                                  : std::fread(bytes.data(), 1, length, file);
        for (uint32_t i = 0; !write && i < done; i++) {
            memory_.write(address + i, bytes[i]);
        }
        return length - static_cast<uint32_t>(done);
    }

    uint32_t command_line(uint32_t block) {
        const uint32_t address = memory_.word(block), capacity = memory_.word(block + 4);
        if (line_.size() + 1 > capacity) {
            return UINT32_MAX;
        }
        for (uint32_t i = 0; i <= line_.size(); i++) {
            memory_.write(address + i, static_cast<uint8_t>(line_.c_str()[i]));
        }
        return 0;
    }

    Memory &memory_;
    std::string line_;
    std::vector<File> files_;
    bool ended_ = false;
    int status_ = 0;
};

int run(VerilatedContext &context, const Options &options) {
    const auto soc = std::make_unique<Vtop>(&context);
    Memory memory(soc->rootp);
    load(memory, options.elf);
    Host host(memory, options.line);
    soc->latency_i = static_cast<uint8_t>(options.latency);
    soc->rst_ni = 1;
    soc->eval();
    soc->rst_ni = 0;
    for (uint64_t cycle = 0; cycle < options.cycles && !host.ended() && !context.gotFinish();
         cycle++) {
        soc->clk_i = 0;
        soc->eval();
        soc->rst_ni = cycle >= 4;
        soc->eval();
        context.timeInc(1);
        if (soc->host_valid_o) {
            soc->host_result_i = host.call(soc->host_operation_o, soc->host_argument_o);
        }
        soc->clk_i = 1;
        soc->eval();
        context.timeInc(1);
    }
    soc->final();
    if (!host.ended()) {
        std::fprintf(stderr, "stopped after %llu cycles\n",
                     static_cast<unsigned long long>(options.cycles));
        return LIMIT_STATUS;
    }
    return host.status();
}

} // namespace

int main(int argc, char **argv) {
    try {
        const Options options = parse(argc, argv);
        VerilatedContext context;
        return run(context, options);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "soc: %s\n", error.what());
        return USAGE_STATUS;
    }
}

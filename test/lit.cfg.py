# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# lit's configuration: which files are tests, and what their RUN lines may use.
# Tools (heddle-opt, heddlec, heddle-run, FileCheck, not) are found by their names.

import ctypes
import glob
import os
import pathlib
import shutil
import subprocess

import lit.formats

config.name = "heddle"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Fuzz", "Inputs", "models", "performance"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.heddle_build, "test")
models = os.path.join(config.test_exec_root, "models")

if os.environ.get("HEDDLE_SLOW") == "1":
    config.available_features.add("slow")

tools = [os.path.join(config.heddle_build, "bin"), config.llvm_tools]
# A device of OpenCL: Debian's PoCL, which is the CPU, or any other.
has_opencl = bool(glob.glob("/etc/OpenCL/vendors/*.icd"))
if config.heddle_target != "cpu":
    config.name = f"heddle-{config.heddle_target}"
    # ./dev test leaves heddle-cuda out where there is no driver.
    config.unsupported = config.heddle_target == "opencl" and not has_opencl
    config.available_features.add("device")
    if config.heddle_target == "cuda":
        config.available_features.add("cuda")
    if "slow" not in config.available_features:
        config.available_features.add("brief")  # PoCL takes 0.1 s to compile a kernel.
    config.test_source_root = os.path.join(config.test_source_root, "EndToEnd")
    config.excludes.append("devices")  # tests that choose their device themselves
    config.test_exec_root = os.path.join(config.heddle_build, f"test-{config.heddle_target}")
    tools.insert(0, os.path.join(config.test_exec_root, "bin"))
config.environment["PATH"] = os.pathsep.join([*tools, os.environ["PATH"]])

# Kernels that several tests have are compiled once.
config.environment["HEDDLE_CACHE"] = os.path.join(config.heddle_build, "kernel-cache")

# What npm reaches its registry with.
registry = ("http_proxy", "https_proxy", "no_proxy", "node_extra_ca_certs", "npm_config_")
for name, value in os.environ.items():
    if name.lower().startswith(registry):
        config.environment[name] = value

# ---- Substitutions: %cc compiles C as the build does; %plain_cc never with the build's
# sanitizers, for tests that bring their own and compile %runtime_sources with them;
# %runtime is the folder of libheddle_runtime.a; %models that of compiled models (see
# CMakeLists.txt); %project the repository; %realdata the folder of the real models; %dates
# how many dates a test answers, of which a device takes longer.

plain_cc = [config.c_compiler, "-std=c11", "-Wall", "-Werror"]
plain_cc.append(f"-I{config.heddle_source}/runtime")
if config.heddle_target != "cpu":
    # Programs that know of no device run on one all the same: Inputs/on_device.c.
    wrapped = ("heddle_invoke", "heddle_reorder_cache", "heddle_weights_bind", "heddle_weights_open")
    plain_cc += [f"-Wl,--wrap={name}" for name in wrapped]
    plain_cc.append(os.path.join(config.test_source_root, "Inputs", "on_device.c"))
cc = list(plain_cc)
if config.heddle_sanitize:
    cc.append(f"-fsanitize={config.heddle_sanitize}")
    # What heddlec links has the runtime inside, which needs the sanitizer, too.
    config.environment["CC"] = f"{config.c_compiler} -fsanitize={config.heddle_sanitize}"
    suppressions = os.path.join(config.heddle_source, "test", "thread-sanitizer.txt")
    config.environment["TSAN_OPTIONS"] = f"suppressions={suppressions}"
# What tests on a device need besides; EndToEnd/devices takes it.
leaks = os.path.join(config.heddle_source, "test", "leak-sanitizer.txt")
config.device_environment = {"LSAN_OPTIONS": f"suppressions={leaks}:print_suppressions=0"}
if config.heddle_target != "cpu":
    config.environment.update(config.device_environment)
runtime_sources = " ".join(
    os.path.join(config.heddle_source, "runtime", name)
    for name in (
        "BeamSearch.c", "Call.c", "CpuFeatures.c", "Cpus.c", "Decoder.c", "Logits.c", "Reorder.c",
        "Rules.c", "Sampler.c", "Session.c", "SessionSampling.c", "SessionSource.c", "Sizes.c",
        "Steps.c", "Threads.c", "Values.c", "Weights.c", "device/Cuda.c", "device/CudaGraphs.c",
        "device/CudaPrograms.c", "device/Device.c", "device/DeviceCall.c",
        "device/DeviceReorder.c", "device/OpenCl.c", "device/StagedArguments.c",
    )
)
config.substitutions.append(("%cc", " ".join(cc)))
config.substitutions.append(("%plain_cc", " ".join(plain_cc)))
config.substitutions.append(("%project", config.heddle_source))
config.substitutions.append(("%runtime_sources", runtime_sources))
config.substitutions.append(("%models", models))
config.substitutions.append(("%dates", "3" if "brief" in config.available_features else "200"))
config.substitutions.append(("%runtime", os.path.join(config.heddle_build, "lib")))

# ---- Features: what a test may say it REQUIRES. %second_model is what heddlec makes
# another model than the example's of.

if os.path.isdir(config.heddle_real_data):
    config.available_features.add("realdata")
    path = os.path.realpath(config.heddle_real_data)
    config.substitutions.append(("%realdata", path))
    second_model = f"{path}/stories260K"
else:
    second_model = f"{config.heddle_source}/examples/dates/model --weight-type=bf16"
config.substitutions.append(("%second_model", second_model))

if config.heddle_sanitize:
    config.available_features.add("sanitized")
if "address" in config.heddle_sanitize:
    config.available_features.add("asan")  # It warns of Halide's way to switch stacks.
if "thread" in config.heddle_sanitize:
    config.available_features.add("tsan")

if has_opencl:
    config.available_features.add("opencl")

# Tile registers, if the system lets this process have them.
def permits_tiles():
    request_permission, tile_data = 0x1023, 18
    arch_prctl = 158
    with open("/proc/cpuinfo") as file:
        flags = file.read().split()
    libc = ctypes.CDLL(None, use_errno=True)
    return (
        {"amx_tile", "amx_int8", "amx_bf16"} <= set(flags)
        and libc.syscall(arch_prctl, request_permission, tile_data) == 0
    )


if permits_tiles():
    config.available_features.add("amx")

# NVIDIA's assembler, which takes what the compiler makes for CUDA.
if ptxas := shutil.which("ptxas", path=os.environ["PATH"] + ":/usr/local/cuda/bin"):
    config.available_features.add("ptxas")
    config.environment["PATH"] += os.pathsep + os.path.dirname(ptxas)

# The judge of chat templates, and where real ones come from.
if "slow" in config.available_features:
    for module in ("jinja2", "torch"):
        if not subprocess.run(["/usr/bin/python3", "-c", f"import {module}"], capture_output=True).returncode:
            config.available_features.add(module)
    if shutil.which("npm") and not subprocess.run(["npm", "ping"], capture_output=True).returncode:
        config.available_features.add("npm")

if shutil.which("dpkg-shlibdeps"):
    config.available_features.add("dpkg-dev")


# As /proc/cpuinfo calls them. avx512 is what the CPUs from Skylake-X on share.
CPU_FEATURES = {
    "avx512": {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"},
    "avx512bf16": {"avx512_bf16"},
}
flags = set()
for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
    if line.startswith("flags"):
        flags.update(line.split())
        break
for feature, needed in CPU_FEATURES.items():
    if needed <= flags:
        config.available_features.add(feature)

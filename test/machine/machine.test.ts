/**
 * The pair in a virtual machine with disks, firmware and a kernel of its own, from outside. One boot for all: it is emulated and
 * takes a while. What is compared with what: see the files beside this one.
 */
import { bootedMachine } from '../support/machine/suite.ts';
import { diskTests, prepareDisks } from './disks.ts';
import { hardwareTests } from './hardware.ts';
import { kernelTests } from './kernel.ts';
import { restartTests } from './restart.ts';

const GRANTS = `  ops:
    tools:
      disks/health: {allowed: true}
      logs/dmesg: {allowed: true}
      logs/journal-control: {allowed: true}
      kernel/system-control:
        allowed: true
        sysctl:
          write_keys: ["vm.*", "net.ipv4.*", "net.ipv4.conf.*.*", "net.core.*", "kernel.*", "kernel.core_pattern", "fs.*"]
    resources:
      "devices://dmi": ["*"]
  narrow:
    tools:
      disks/health: {allowed: true, devices: ["nvme*"]}
      kernel/system-control: {allowed: true, sysctl: {write_keys: ["kernel.*"]}}
`;

const machine = bootedMachine({ grants: GRANTS, users: ['ops', 'narrow', 'guest'], prepare: prepareDisks });

diskTests(machine);
hardwareTests(machine);
kernelTests(machine);
// Last: it starts the machine again.
restartTests(machine);

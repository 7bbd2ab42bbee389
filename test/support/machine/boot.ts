/**
 * Boots a virtual machine with a kernel, disks and a firmware of its own, and stops it again. Emulated throughout, so that it
 * works where the hardware's help is not there. Its disks are never written to: every boot begins from the same state. It dies
 * with the process that started it. Test only.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { builtSystem } from '../debian/cache.ts';
import { MACHINE } from '../debian/recipes.ts';
import { type Inside, endOf, output, waitUntilRunning } from '../inside/inside.ts';
import { type MachineFiles, machineFiles } from './files.ts';
import { openChannel } from './channel.ts';

const [SOCKET_MS, BOOT_MS] = [60_000, 900_000];

export interface Machine extends Inside {
  stop(): Promise<void>;
}

function qemuArguments(place: string, files: MachineFiles, port: number): string[] {
  const drive = (id: string, file: string, more = ''): string => `if=none,id=${id},format=raw,file=${file}${more}`;
  return [
    ...['-accel', 'tcg,thread=multi', '-cpu', 'max', '-M', 'q35', '-m', '1024', '-smp', '2', '-snapshot'],
    ...['-display', 'none', '-monitor', 'none', '-serial', 'stdio', '-vga', 'none'],
    ...['-kernel', join(place, 'vmlinuz'), '-initrd', join(place, 'initrd.img')],
    ...['-append', 'root=/dev/vda rw console=ttyS0 quiet systemd.show_status=no net.ifnames=0'],
    ...['-drive', drive('root', join(place, 'disk.img')), '-device', 'virtio-blk-pci,drive=root'],
    ...['-drive', drive('build', files.programs, ',readonly=on'), '-device', 'virtio-blk-pci,drive=build'],
    ...['-drive', drive('fast', files.nvme), '-device', 'nvme,drive=fast,serial=NV-0001'],
    ...['-drive', drive('slow', files.sata), '-device', 'ide-hd,drive=slow,bus=ide.0,serial=AH-0001'],
    ...['-device', 'qemu-xhci', '-device', 'usb-tablet'],
    ...['-smbios', 'type=0,vendor=Acme,version=2.1,date=04/01/2024,release=2.1'],
    ...['-smbios', 'type=1,manufacturer=Acme,product=R1,version=1,serial=SYS-0001'],
    ...['-smbios', 'type=2,manufacturer=Acme,product=B1,version=3'],
    ...['-smbios', 'type=3,manufacturer=Acme,version=1,serial=CH-0001'],
    ...files.memory.flatMap((file) => ['-smbios', `file=${file}`]),
    ...['-netdev', `user,id=net,restrict=on,hostfwd=tcp:127.0.0.1:${port}-:9091`, '-device', 'virtio-net-pci,netdev=net'],
    ...['-device', 'virtio-serial', '-chardev', `socket,id=agent,path=${files.socket},server=on,wait=off`],
    ...['-device', 'virtserialport,chardev=agent,name=test.agent'],
  ];
}

/**
 * Boots the machine and waits until it is running; connections to the port of this machine's loopback reach port 9091 inside.
 * Rejects with the end of its console when it does not come up.
 */
export async function bootMachine(port: number): Promise<Machine> {
  const place = await builtSystem(MACHINE);
  const files = machineFiles();
  const args = qemuArguments(place, files, port);
  const qemu = spawn('setpriv', ['--pdeathsig', 'KILL', '--', 'qemu-system-x86_64', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [qemu.stdout, qemu.stderr]) {
    stream.setEncoding('utf8').on('data', (piece: string) => (text = (text + piece).slice(-65536)));
  }
  const stop = async (): Promise<void> => {
    if (qemu.exitCode === null && qemu.signalCode === null) {
      const ended = once(qemu, 'exit');
      qemu.kill('SIGKILL'); // Nothing of its disks is kept.
      await ended;
    }
    files.remove();
  };
  const timer = setTimeout(() => void qemu.kill('SIGKILL'), BOOT_MS);
  try {
    const channel = await openChannel(files.socket, SOCKET_MS);
    const machine: Machine = { console: () => text, run: (argv, input = '') => channel.run(argv, input), stop };
    await waitUntilRunning(machine);
    await giveAddress(machine);
    return machine;
  } catch (error) {
    await stop();
    throw new Error(`the machine did not boot: ${(error as Error).message}\n${endOf(text)}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

/** The address that the emulator forwards to. */
export async function giveAddress(machine: Inside): Promise<void> {
  await output(machine, 'ip', 'address', 'add', '10.0.2.15/24', 'dev', 'eth0');
  await output(machine, 'ip', 'link', 'set', 'eth0', 'up');
}

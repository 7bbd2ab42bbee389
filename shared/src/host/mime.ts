/** Recognises the type of a file by its first bytes. Pure functions over a buffer; no name is looked at. */
import { textMime } from './mime-text.ts';

/** How many bytes of a file decide about its type. */
export const SNIFF_BYTES = 8192;

type Signature = readonly [offset: number, bytes: string, mime: string];

/** Magic numbers as byte strings, the more specific before the general. */
const SIGNATURES: readonly Signature[] = [
  [0, '\x89PNG\r\n\x1a\n', 'image/png'],
  [0, '\xff\xd8\xff', 'image/jpeg'],
  [0, 'GIF87a', 'image/gif'],
  [0, 'GIF89a', 'image/gif'],
  [0, 'BM', 'image/bmp'],
  [0, 'II*\0', 'image/tiff'],
  [0, 'MM\0*', 'image/tiff'],
  [0, '%PDF-', 'application/pdf'],
  [0, '%!PS', 'application/postscript'],
  [0, 'PK\x03\x04', 'application/zip'],
  [0, 'PK\x05\x06', 'application/zip'],
  [0, '\x1f\x8b', 'application/gzip'],
  [0, 'BZh', 'application/x-bzip2'],
  [0, '\xfd7zXZ\0', 'application/x-xz'],
  [0, '\x28\xb5\x2f\xfd', 'application/zstd'],
  [0, '7z\xbc\xaf\x27\x1c', 'application/x-7z-compressed'],
  [0, 'Rar!\x1a\x07', 'application/vnd.rar'],
  [257, 'ustar', 'application/x-tar'],
  [0, '!<arch>\ndebian', 'application/vnd.debian.binary-package'],
  [0, '!<arch>\n', 'application/x-archive'],
  [0, '\xed\xab\xee\xdb', 'application/x-rpm'],
  [0, 'SQLite format 3\0', 'application/vnd.sqlite3'],
  [0, 'OggS', 'application/ogg'],
  [0, 'fLaC', 'audio/flac'],
  [0, 'ID3', 'audio/mpeg'],
  [0, 'MThd', 'audio/midi'],
  [0, '\x1aE\xdf\xa3', 'video/x-matroska'],
  [0, 'wOFF', 'font/woff'],
  [0, 'wOF2', 'font/woff2'],
  [0, 'OTTO', 'font/otf'],
  [0, '\0\x01\0\0\0', 'font/ttf'],
  [0, '\0asm', 'application/wasm'],
];

/** Form types inside a RIFF container. */
const RIFF: Readonly<Record<string, string>> = { WEBP: 'image/webp', WAVE: 'audio/wav', 'AVI ': 'video/x-msvideo' };

/** e_type of an ELF header (elf(5)). */
const ELF: Readonly<Record<number, string>> = {
  1: 'application/x-object',
  2: 'application/x-executable',
  3: 'application/x-sharedlib',
  4: 'application/x-coredump',
};

/** MIME type by the first bytes (at most 8 KiB are looked at). `whole`: nothing follows them. */
export function detectMime(head: Buffer, whole: boolean): string {
  if (head.length === 0) return 'inode/x-empty';
  const bytes = head.subarray(0, SNIFF_BYTES);
  return binaryMime(bytes) ?? textMime(bytes, whole && head.length <= SNIFF_BYTES) ?? 'application/octet-stream';
}

/** True when content may not be shown as text: a NUL among the first 8192 bytes. */
export function isBinary(head: Buffer): boolean {
  return head.subarray(0, SNIFF_BYTES).includes(0);
}

function binaryMime(bytes: Buffer): string | undefined {
  const start = bytes.toString('latin1', 0, 300);
  if (start.startsWith('\x7fELF')) return elfMime(bytes);
  if (start.startsWith('RIFF')) return RIFF[start.slice(8, 12)] ?? 'application/x-riff';
  if (start.slice(4, 8) === 'ftyp') return isoMediaMime(start.slice(8, 12));
  if (start.startsWith('\xca\xfe\xba\xbe')) return classOrMachO(bytes);
  const found = SIGNATURES.find(([offset, magic]) => start.startsWith(magic, offset));
  // short words of plain letters also begin ordinary text
  if (found !== undefined && !(isWord(found[1]) && !bytes.includes(0))) return found[2];
  return isMpegFrame(bytes) ? 'audio/mpeg' : undefined;
}

function isWord(magic: string): boolean {
  return magic === 'BM' || magic === 'ID3' || magic === 'BZh' || magic === 'OTTO' || magic === 'MThd';
}

function elfMime(bytes: Buffer): string {
  if (bytes.length < 18) return 'application/x-elf';
  const littleEndian = bytes[5] === 1;
  return ELF[littleEndian ? bytes.readUInt16LE(16) : bytes.readUInt16BE(16)] ?? 'application/x-elf';
}

/** ISO base media files (ISO/IEC 14496-12) by their major brand. */
function isoMediaMime(brand: string): string {
  if (brand.startsWith('qt')) return 'video/quicktime';
  if (brand.startsWith('M4A')) return 'audio/mp4';
  if (brand === 'avif' || brand === 'avis') return 'image/avif';
  if (brand === 'heic' || brand === 'heix' || brand === 'mif1') return 'image/heic';
  return 'video/mp4';
}

/** Java class files and universal Mach-O binaries share their magic; a class file has a version of 45 or more where the other counts. */
function classOrMachO(bytes: Buffer): string {
  const isClass = bytes.length < 8 || bytes.readUInt32BE(4) >= 45;
  return isClass ? 'application/java-vm' : 'application/x-mach-binary';
}

/**
 * An MPEG audio frame header: 11 set bits, then a version, layer, bit rate and sampling rate that are not reserved. FF FE would be
 * one too, but is the byte order mark of UTF-16.
 */
function isMpegFrame(bytes: Buffer): boolean {
  const [first = 0, second = 0, third = 0] = bytes;
  if (bytes.length < 4 || first !== 0xff || second === 0xfe || (second & 0xe0) !== 0xe0) return false;
  const reserved = (second & 0x18) === 0x08 || (second & 0x06) === 0 || (third & 0xf0) === 0xf0 || (third & 0x0c) === 0x0c;
  return !reserved && (third & 0xf0) !== 0;
}

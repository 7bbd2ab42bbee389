/** Names for the codes of SMBIOS structures, as the standard has them (DSP0134). Tables alone. */

/** Names for codes from 1 on; a code that has none is given as `0xNN`. */
export function codeName(names: readonly string[], code: number): string {
  return names[code - 1] || `0x${code.toString(16).toUpperCase().padStart(2, '0')}`;
}

/** Section 7.4.1. */
export const CHASSIS_TYPES = [
  ...['Other', 'Unknown', 'Desktop', 'Low Profile Desktop', 'Pizza Box', 'Mini Tower', 'Tower', 'Portable', 'Laptop', 'Notebook'],
  ...['Hand Held', 'Docking Station', 'All in One', 'Sub Notebook', 'Space-saving', 'Lunch Box', 'Main Server Chassis'],
  ...['Expansion Chassis', 'SubChassis', 'Bus Expansion Chassis', 'Peripheral Chassis', 'RAID Chassis', 'Rack Mount Chassis'],
  ...['Sealed-case PC', 'Multi-system chassis', 'Compact PCI', 'Advanced TCA', 'Blade', 'Blade Enclosure', 'Tablet'],
  ...['Convertible', 'Detachable', 'IoT Gateway', 'Embedded PC', 'Mini PC', 'Stick PC'],
];

/** Section 7.18.1. */
export const FORM_FACTORS = [
  ...['Other', 'Unknown', 'SIMM', 'SIP', 'Chip', 'DIP', 'ZIP', 'Proprietary Card', 'DIMM', 'TSOP', 'Row of chips', 'RIMM'],
  ...['SODIMM', 'SRIMM', 'FB-DIMM', 'Die', 'CAMM', 'CUDIMM', 'CSODIMM'],
];

/** Section 7.18.2; 15h to 17h are reserved. */
export const MEMORY_TYPES = [
  ...['Other', 'Unknown', 'DRAM', 'EDRAM', 'VRAM', 'SRAM', 'RAM', 'ROM', 'FLASH', 'EEPROM', 'FEPROM', 'EPROM', 'CDRAM', '3DRAM'],
  ...['SDRAM', 'SGRAM', 'RDRAM', 'DDR', 'DDR2', 'DDR2 FB-DIMM', '', '', '', 'DDR3', 'FBD2', 'DDR4', 'LPDDR', 'LPDDR2', 'LPDDR3'],
  ...['LPDDR4', 'Logical non-volatile device', 'HBM', 'HBM2', 'DDR5', 'LPDDR5', 'HBM3', 'MRDIMM'],
];

/** Section 7.18.3: bits 1 to 15. */
export const TYPE_DETAILS = [
  ...['Other', 'Unknown', 'Fast-paged', 'Static column', 'Pseudo-static', 'RAMBUS', 'Synchronous', 'CMOS', 'EDO', 'Window DRAM'],
  ...['Cache DRAM', 'Non-volatile', 'Registered', 'Unbuffered', 'LRDIMM'],
];

/** Section 7.18.6. */
export const TECHNOLOGIES = [
  ...['Other', 'Unknown', 'DRAM', 'NVDIMM-N', 'NVDIMM-F', 'NVDIMM-P', 'Intel Optane persistent memory', 'MRDIMM'],
];

/**
 * The emulator's addon that measures emoji as real terminals do, loaded so that it cannot read foreign bytes: it takes
 * its table from the start of the memory that its buffer lies in, which is another's when Node hands out pooled memory.
 * Everything that needs the addon imports it from here.
 */
const { poolSize } = Buffer;
Buffer.poolSize = 0;
const addon = await import("@xterm/addon-unicode-graphemes");
Buffer.poolSize = poolSize;

export const UnicodeGraphemesAddon = addon.UnicodeGraphemesAddon;

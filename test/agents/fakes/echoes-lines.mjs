/** Gives every line back as it came. */
process.stdin.pipe(process.stdout);

/** Dies as soon as it is started, every time. */
process.stderr.write("cannot find my configuration\n", () => process.exit(3));

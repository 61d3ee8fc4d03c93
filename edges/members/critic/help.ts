/** What critic says of itself. */
export function helpText(): string {
  return `**I am critic**, a small rule-based member. I ask no model, use no network, change nothing, and read nothing outside the directory.

In a discussion I hold what the others said against the files: whether the files and lines they name exist and say so, whether the names they use stand anywhere, what no test covers, and where they contradict each other. When all of it holds, I say *nothing to add*.

Asked first, I look around the words of your question for missing tests, dropped errors, skipped tests, work left to do, calls that need care, checks switched off, very large files and what looks like a secret. Ask for example:

- *risks around takeLock*, *what is untested in src/lock.ts*
- *review this project*, and *more* for further signs
- *is that right?* after another member has answered

I judge by shape, so look at each place yourself: a sign is not a fault.
`;
}

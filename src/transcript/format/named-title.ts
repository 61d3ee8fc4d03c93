/** Who asks, before what is asked; agents that say it themselves are not named twice. */
export function namedTitle(member: string, title: string): string {
  return title.startsWith(`${member}: `) ? title : `${member}: ${title}`;
}

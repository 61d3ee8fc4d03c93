/** Some agents write every command as `bash -lc '…'`; what is asked about and remembered is the command inside. */

const WRAPPED = /^(?:\/(?:usr\/)?bin\/)?(?:bash|sh|zsh) -l?c (?:'([^']*)'|"([^"$`\\!]*)"|([\w./:=@%+,-]+))$/;

/** Only where that is certain; any other as it is. */
export function unwrapCommand(command: string): string {
  const match = WRAPPED.exec(command);
  return match?.[1] ?? match?.[2] ?? match?.[3] ?? command;
}

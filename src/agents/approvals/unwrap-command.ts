/** Some agents write every command as `bash -lc '…'`; what is asked about and remembered is the command inside. */

const WRAPPED = /^(?:\/(?:usr\/)?bin\/)?(?:bash|sh|zsh) -l?c (?:'([^']*)'|"([^"$`\\!]*)"|([\w./:=@%+,-]+))$/;

/** Only where that is certain; any other as it is. */
export function unwrapCommand(command: string): string {
  const found = WRAPPED.exec(command);
  return found?.[1] ?? found?.[2] ?? found?.[3] ?? command;
}

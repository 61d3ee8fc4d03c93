/** Counts the bytes of request bodies that anybody in this process reads; what is thrown away unread is not read. */
import { IncomingMessage } from "node:http";

export interface BodyBytes {
  readonly read: number;
  stop(): void;
}

export function countBodyBytes(): BodyBytes {
  let read = 0;
  const emit: unknown = Reflect.get(IncomingMessage.prototype, "emit");
  IncomingMessage.prototype.emit = function (this: IncomingMessage, name: string | symbol, ...values: unknown[]) {
    const isRead = this.listenerCount("data") > 0 || this.listenerCount("readable") > 0;
    if (name === "data" && isRead) read += (values[0] as Buffer).length;
    return Reflect.apply(emit as (...all: unknown[]) => boolean, this, [name, ...values]);
  };
  return {
    get read() {
      return read;
    },
    stop: () => void Reflect.deleteProperty(IncomingMessage.prototype, "emit"),
  };
}

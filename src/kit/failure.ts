/** A run that cannot continue: one sentence for the user, a hint, and the exit code. */
import { errorCodeOf, noSpaceReason } from "./files/system-error.ts";
import { terminalSafeLine } from "./text/terminal-safe.ts";
import { exitCodes, type ExitCode } from "./exit-codes.ts";

export interface FailureOptions {
  readonly hint?: string;
  readonly lines?: readonly string[];
  readonly cause?: unknown;
}

export class Failure extends Error {
  readonly exitCode: ExitCode;
  readonly code: string;
  readonly hint: string | undefined;
  /** Lines below the sentence, such as candidates. */
  readonly lines: readonly string[];

  constructor(exitCode: ExitCode, code: string, message: string, options: FailureOptions = {}) {
    super(message, { cause: options.cause });
    this.name = "Failure";
    this.exitCode = exitCode;
    this.code = code;
    this.hint = options.hint;
    this.lines = options.lines ?? [];
  }
}

export function usageFailure(message: string, hint?: string): Failure {
  return new Failure(exitCodes.usage, "usage", message, hint === undefined ? {} : { hint });
}

/** Maps any thrown value to a Failure. Errors of the rooms keep their message; only the exit code is decided here. */
export function toFailure(thrown: unknown): Failure {
  if (thrown instanceof Failure) return thrown;
  if (isCoded(thrown)) {
    const system = systemFailure(thrown);
    if (system !== undefined) return system;
    const hint = typeof thrown.hint === "string" ? thrown.hint : hintByCode[thrown.code];
    return new Failure(exitCodeOf(thrown.code), thrown.code, thrown.message, {
      cause: thrown,
      ...(hint === undefined ? {} : { hint }),
    });
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new Failure(exitCodes.failure, "internal", message, { cause: thrown });
}

/** The sentence for stderr. Parts of it may come from members, files or other programs. */
export function failureLine(failure: Failure): string {
  const below = failure.lines.map((line) => `  ${terminalSafeLine(line)}\n`);
  return noteLine(failure.message, failure.hint) + below.join("");
}

export function noteLine(...sentences: readonly (string | undefined)[]): string {
  const texts = sentences.map((one) => asSentence(one ?? "")).filter((one) => one !== "");
  return `roundtable: ${texts.join(" ")}\n`;
}

function asSentence(text: string): string {
  const line = terminalSafeLine(text).trim();
  return line === "" || /[.!?)]$/.test(line) ? line : `${line}.`;
}

interface CodedError extends Error {
  code: string;
  hint?: unknown;
  path?: unknown;
}

/** By shape, not by class: an error of a room that was loaded lazily, or of Node itself. */
function isCoded(thrown: unknown): thrown is CodedError {
  return thrown instanceof Error && "code" in thrown && typeof thrown.code === "string";
}

/** By the `ErrorCode` of the protocol. */
const exitByCode: Readonly<Record<string, ExitCode | undefined>> = {
  bad_command: exitCodes.usage,
  unknown_member: exitCodes.usage,
  nobody_to_ask: exitCodes.usage,
  too_large: exitCodes.usage,
  unknown_session: exitCodes.noSuchSession,
};

/** Shell hints for errors without a hint, because screens have other ones. */
const hintByCode: Readonly<Record<string, string | undefined>> = { unknown_session: "See roundtable sessions list" };

function exitCodeOf(code: string): ExitCode {
  return exitByCode[code] ?? exitCodes.failure;
}

function systemFailure(error: CodedError): Failure | undefined {
  if ("syscall" in error && error.syscall === "uv_cwd") {
    return new Failure(exitCodes.usage, error.code, "the current directory no longer exists", {
      hint: "Change to an existing one",
      cause: error,
    });
  }
  const where = typeof error.path === "string" ? ` ${error.path}` : "";
  const code = errorCodeOf(error);
  switch (code) {
    case "EACCES":
    case "EPERM":
      return new Failure(exitCodes.permissionDenied, error.code, `permission denied:${where || ` ${error.message}`}`, {
        hint: "Check who owns it, or choose another directory with --data-dir",
        cause: error,
      });
    case "ENOSPC":
    case "EDQUOT":
      return new Failure(
        exitCodes.failure,
        code,
        `${noSpaceReason(error) ?? ""}; nothing could be written${where && ` to${where}`}`,
        {
          hint: "Free some space, or choose another directory with --data-dir",
          cause: error,
        },
      );
    case "EROFS":
      return new Failure(exitCodes.failure, error.code, `the file system is read-only${where && `:${where}`}`, {
        hint: "Choose another directory with --data-dir",
        cause: error,
      });
    default:
      return undefined;
  }
}

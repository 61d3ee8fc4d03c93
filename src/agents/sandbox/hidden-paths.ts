/**
 * Paths that no sandbox shows: secrets, logins and state of other agents, and sockets of services that act for any
 * client.
 */
import { statSync } from "node:fs";
import path from "node:path";
import { realPath, type AccessMap } from "./access-map.ts";
import { configurationOf, knownStateDirectories, type UserEnvironment } from "./agent-directories.ts";
import { readText } from "./read-existing.ts";

const SECRETS = `
  .ssh .aws .azure .gnupg .kube .docker .oci .config/gh .config/glab-cli .config/hub .config/gcloud .config/doctl
  .config/op .config/sops .config/age .config/rclone .config/containers .config/configstore .config/git/credentials
  .netrc .npmrc .pypirc .git-credentials .cargo/credentials .cargo/credentials.toml .gem/credentials .composer/auth.json
  .m2/settings.xml .gradle/gradle.properties .terraform.d/credentials.tfrc.json .vault-token .pgpass .my.cnf .s3cfg .boto
  .password-store .local/share/keyrings .local/share/kwalletd .keychain .1password .config/1Password
  .mozilla .thunderbird .config/google-chrome .config/chromium .config/BraveSoftware .config/microsoft-edge .config/vivaldi
  .config/Slack .config/discord .config/Signal .config/Code/User/globalStorage .var/app snap/firefox
  .Xauthority .ICEauthority .bash_history .zsh_history .sh_history .ash_history .python_history .node_repl_history
  .psql_history .mysql_history .sqlite_history .rediscli_history .lesshst .viminfo .local/share/fish/fish_history
  .emacs.d/server .config/emacs/server .jupyter .local/share/jupyter/runtime
  .colima .lima .rd .orbstack .minikube .tmux .screen .local/share/containers .local/share/tmux
  Library/Cookies Library/Mail Library/Messages Library/Safari`
  .trim()
  .split(/\s+/);

/** Agents without a row in our table, by the folders of their logins. */
const OTHER_AGENTS = `
  .aider .amp .augment .goose .config/goose .config/amp .kiro .codeium .windsurf .continue .crush .local/share/crush
  .config/github-copilot .factory .kimi .local/share/amp`
  .trim()
  .split(/\s+/);

/** Cloud logins that an agent uses for its own models, when its environment or settings say so. */
const CLOUDS: readonly { readonly agents: RegExp; readonly when: RegExp; readonly paths: readonly string[] }[] = [
  { agents: /^claude/, when: /CLAUDE_CODE_USE_BEDROCK/, paths: [".aws"] },
  { agents: /^claude/, when: /CLAUDE_CODE_USE_VERTEX/, paths: [".config/gcloud"] },
  { agents: /^claude/, when: /CLAUDE_CODE_USE_FOUNDRY/, paths: [".azure"] },
  { agents: /^codex/, when: /bedrock/, paths: [".aws"] },
  { agents: /^gemini/, when: /GOOGLE_(?:GENAI_USE_VERTEXAI|CLOUD_PROJECT)/, paths: [".config/gcloud"] },
  { agents: /^(?:pi|opencode)/, when: /AWS_(?:PROFILE|REGION|DEFAULT_REGION)/, paths: [".aws"] },
  { agents: /^(?:pi|opencode)/, when: /GOOGLE_(?:CLOUD_PROJECT|VERTEX)/, paths: [".config/gcloud"] },
  { agents: /^copilot/, when: /^/, paths: [".config/gh", ".config/github-copilot"] },
];

export interface HiddenOptions extends UserEnvironment {
  readonly agent: string;
  /** Our own directories. */
  readonly own: readonly string[];
}

export function setHiddenPaths(access: AccessMap, { home, env, agent, own }: HiddenOptions): void {
  const name = path.basename(agent).toLowerCase();
  const isOwn = (directory: string): boolean => path.basename(directory).replace(/^\./, "") === name;
  const settings = [...Object.keys(env), configurationOf(agent, { home, env })].join("\n");
  const used = CLOUDS.filter(({ agents, when }) => agents.test(name) && when.test(settings));
  const needed = new Set(used.flatMap(({ paths }) => paths));
  for (const folder of [...SECRETS, ...OTHER_AGENTS.filter((one) => !isOwn(one))]) {
    if (!needed.has(folder)) access.set(path.join(home, folder), "hidden");
  }
  const mine = knownStateDirectories({ home, env }).filter(({ names }) => names.test(name));
  for (const { names, directory } of knownStateDirectories({ home, env })) {
    if (names.test(name) || mine.some((one) => one.directory === directory)) continue;
    access.set(directory, "hidden");
  }
  if (!name.startsWith("claude")) access.set(path.join(home, ".claude.json"), "hidden");
  for (const directory of own) access.set(directory, "hidden");
}

/** Sockets that the configuration may open by name: their variables, and their default paths. */
const SOCKETS: Readonly<Record<string, { variables: readonly string[]; usual: (env: UserEnvironment) => string[] }>> = {
  docker: {
    variables: ["DOCKER_HOST", "DOCKER_CONTEXT"],
    usual: ({ home, env }) => [
      "/run/docker.sock",
      runtime(env, "docker.sock"),
      path.join(home, ".docker/run/docker.sock"),
    ],
  },
  podman: { variables: ["CONTAINER_HOST"], usual: ({ env }) => [runtime(env, "podman/podman.sock")] },
  "ssh-agent": { variables: ["SSH_AUTH_SOCK", "SSH_AGENT_PID"], usual: () => [] },
  "gpg-agent": {
    variables: ["GPG_AGENT_INFO"],
    usual: ({ home, env }) => [runtime(env, "gnupg/S.gpg-agent"), path.join(home, ".gnupg/S.gpg-agent")],
  },
  dbus: {
    variables: ["DBUS_SESSION_BUS_ADDRESS", "DBUS_SYSTEM_BUS_ADDRESS"],
    usual: ({ env }) => [runtime(env, "bus"), "/run/dbus/system_bus_socket"],
  },
  tmux: { variables: ["TMUX", "TMUX_PANE", "TMUX_TMPDIR"], usual: () => [] },
  x11: { variables: ["DISPLAY", "XAUTHORITY"], usual: () => ["/tmp/.X11-unix"] },
  wayland: {
    variables: ["WAYLAND_DISPLAY", "WAYLAND_SOCKET"],
    usual: ({ env }) => [runtime(env, env["WAYLAND_DISPLAY"] ?? "wayland-0")],
  },
};

/** Variables that lead to a service that acts for others, though not always by a socket's path. */
const LEADING =
  /^(?:XDG_RUNTIME_DIR|DBUS_.*|SESSION_MANAGER|GNOME_KEYRING_.*|STY|ZELLIJ.*|NVIM.*|VSCODE_.*|KITTY_.*|WEZTERM_.*|ALACRITTY_SOCKET|SWAYSOCK|I3SOCK|HYPRLAND_.*|NOTIFY_SOCKET|LISTEN_(?:FDS|PID|FDNAMES)|PULSE_.*|PIPEWIRE_.*|AT_SPI_.*|(?:GIT|SSH|SUDO)_ASKPASS|EMACS_.*|KRB5CCNAME)$/;

/** Closes the sockets that variables name, opens the configured ones, and returns which variables are passed on. */
export function setSockets(
  access: AccessMap,
  options: UserEnvironment & { opened: readonly string[]; shown: readonly string[] },
): Record<string, string> {
  const { env, opened, shown } = options;
  const visible: Record<string, string> = {};
  const passed = new Set(opened.flatMap((name) => SOCKETS[name]?.variables ?? []));
  const closed = new Set(Object.values(SOCKETS).flatMap(({ variables }) => variables));
  const isShown = (file: string): boolean => shown.some((one) => file === one || file.startsWith(`${one}/`));
  for (const socket of listening()) {
    const isPassed = isShown(socket) || opened.includes(socket) || NEEDED.test(socket);
    if (!isPassed && access.accessOf(socket) === "read") access.set(socket, "hidden");
  }
  for (const [name, value = ""] of Object.entries(env)) {
    const socket = socketIn(value);
    const isOpened = passed.has(name) || (socket !== undefined && (isShown(socket) || opened.includes(socket)));
    if (socket !== undefined && !isOpened) access.set(socket, "hidden");
    if (isOpened || !(socket !== undefined || closed.has(name) || LEADING.test(name))) visible[name] = value;
  }
  for (const name of opened) {
    const { variables = [], usual = () => [name] } = SOCKETS[name] ?? {};
    const named = variables.flatMap((variable) => socketIn(env[variable] ?? "") ?? []);
    for (const file of [...named, ...usual(options)]) if (path.isAbsolute(file)) access.set(file, "read");
  }
  return visible;
}

/** Without them there are no names of users, nothing is built, and every git command complains. */
const NEEDED = /^\/(?:var\/lib\/sss|nix\/var)\/|\/fsmonitor--daemon\.ipc$/;

/** Sockets that programs of this machine listen on: a read-only mount does not stop a connection. */
function listening(): string[] {
  const files = [...readText("/proc/net/unix").matchAll(/^\S+ \S+ \S+ 0001\d{4} \S+ \S+ +\d+ (\/.*)$/gm)];
  const names = new Set(files.map(([, file = ""]) => file));
  const real = new Set([...names].flatMap((file) => realPath(file) ?? []));
  return [...real].filter(isSocket);
}

function isSocket(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isSocket() === true;
}

/** Socket in a variable's value: a path, `unix:///path`, `unix:path=/path,guid=…` or `path,pid,pane`. */
function socketIn(value: string): string | undefined {
  const [file = ""] = value.replace(/^unix:(?:\/\/|path=)?/, "").split(",");
  if (!path.isAbsolute(file)) return undefined;
  const real = realPath(file);
  return real !== undefined && isSocket(real) ? real : undefined;
}

function runtime(env: UserEnvironment["env"], name: string): string {
  return path.join(env["XDG_RUNTIME_DIR"] ?? `/run/user/${process.getuid?.() ?? 0}`, name);
}

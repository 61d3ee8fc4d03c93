/**
 * Settings: theme, members, rules, sandbox, notifications, devices, usage, shortcuts, data. What starts programs or moves
 * keys is shown with where to change it.
 */
import { useEffect, useRef } from "react";
import { KEYS } from "../app/help-dialog.tsx";
import { NotifySwitch } from "../app/attention.tsx";
import { BackButton, PageProblem } from "../app/own-page.tsx";
import { ThemeSwitch } from "../app/theme.tsx";
import { inPlainSight } from "../format/plain-sight.ts";
import { useStore } from "../store/use-store.ts";
import { Icon, type IconName } from "../ui/icon.tsx";
import { fromLabel, Section } from "./section.tsx";
import { DevicesSection } from "./devices-section.tsx";
import { DataSection, UsageSection } from "./machine-sections.tsx";
import { MembersSection, RulesSection } from "./member-sections.tsx";
import { useSettings } from "./use-settings.ts";

const SECTIONS: readonly {
  readonly id: string;
  readonly label: string;
  readonly icon: IconName;
  readonly ofMachine?: true;
}[] = [
  { id: "general", label: "General", icon: "settings" },
  { id: "members", label: "Members", icon: "users", ofMachine: true },
  { id: "rules", label: "Rules", icon: "shield", ofMachine: true },
  { id: "sandbox", label: "Sandbox", icon: "terminal", ofMachine: true },
  { id: "notifications", label: "Notifications", icon: "bell" },
  { id: "devices", label: "Devices", icon: "smartphone" },
  { id: "usage", label: "Usage", icon: "gauge" },
  { id: "shortcuts", label: "Shortcuts", icon: "keyboard" },
  { id: "data", label: "Data", icon: "folder", ofMachine: true },
];

export function SettingsPage({ section = "general" }: { section?: string | undefined }) {
  const settings = useSettings();
  const { isTeam } = settings;
  const page = useRef<HTMLDivElement>(null);
  const isLoaded = settings.configuration !== undefined;
  useEffect(() => {
    page.current?.querySelector(`#settings-${CSS.escape(section)}`)?.scrollIntoView({ block: "start" });
  }, [section, isLoaded]);
  return (
    <main className="main own-page">
      <header className="bar">
        <BackButton />
        <h1 className="grow">Settings</h1>
        {settings.configuration === undefined ? null : (
          <span className="fact settings-file">
            <Icon name="file-text" size="s" />
            <code className="cut">{inPlainSight(settings.configuration.file)}</code>
          </span>
        )}
      </header>
      <PageProblem />
      <div className="settings">
        <SectionLinks section={section} isTeam={isTeam} />
        <div className="settings-body" ref={page} tabIndex={0} role="region" aria-label="All settings">
          <Section id="general" title="General" lead="How the page looks in this browser.">
            <div className="set-row">
              <span className="grow set-name">Theme</span>
              <ThemeSwitch />
            </div>
          </Section>
          {isTeam ? null : (
            <>
              <MembersSection settings={settings} />
              <RulesSection settings={settings} />
              <SandboxSection settings={settings} />
            </>
          )}
          <Section
            id="notifications"
            title="Notifications"
            lead="When a member needs you and this page is in the background."
          >
            <div className="set-row">
              <span className="grow set-name">Browser notifications</span>
              <NotifySwitch />
            </div>
          </Section>
          <DevicesSection settings={settings} />
          <UsageSection />
          <ShortcutsSection />
          {isTeam ? null : <DataSection settings={settings} />}
        </div>
      </div>
    </main>
  );
}

function ShortcutsSection() {
  return (
    <Section id="shortcuts" title="Shortcuts" lead="Press ? to see them anywhere.">
      {KEYS.map(([keys, does]) => (
        <div key={keys} className="set-row">
          <span className="grow">{does}</span>
          <kbd>{keys}</kbd>
        </div>
      ))}
    </Section>
  );
}

function SectionLinks({ section, isTeam }: { section: string; isTeam: boolean }) {
  const store = useStore();
  return (
    <nav aria-label="Settings">
      {SECTIONS.filter(({ ofMachine = false }) => !(ofMachine && isTeam)).map(({ id, label, icon }) => (
        <button
          key={id}
          type="button"
          className="settings-link"
          aria-current={id === section ? "true" : undefined}
          onClick={() => store.goTo({ page: "settings", section: id })}
        >
          <Icon name={icon} />
          {label}
        </button>
      ))}
    </nav>
  );
}

const MODE_LABELS: Readonly<Record<string, string>> = {
  auto: "On, where this system supports it",
  require: "Required: agents don't start without it",
  off: "Off: only the agents' own rules limit them",
};

function SandboxSection({ settings: { configuration } }: { settings: ReturnType<typeof useSettings> }) {
  const { sandbox, file } = configuration ?? {};
  return (
    <Section
      id="sandbox"
      title="Sandbox"
      lead={`What members' programs can reach. Set in ${inPlainSight(file ?? "the configuration file")}, not here.`}
    >
      <div className="set-row">
        <div className="grow">
          <div className="set-name">{MODE_LABELS[sandbox?.mode ?? "auto"] ?? sandbox?.mode}</div>
          <div className="fact">{inPlainSight(sandbox === undefined ? "" : fromLabel(sandbox.from))}</div>
        </div>
      </div>
    </Section>
  );
}

import { loadConfig, settingNames } from '../../shared/platform/config.ts';

/** A setting in the example, set or commented out: `PORT=3000` or `#PORT=3000`. */
const SETTING = /^#?([A-Z][A-Z0-9_]*)=(.*)$/;

/** `.env.example` lists the settings that the program reads, in the order of config.ts, with valid values. */
export function checkEnvExample(text: string): string[] {
  const listed = text.split('\n').flatMap(line => {
    const match = SETTING.exec(line);
    return match ? [{ name: match[1]!, value: match[2]! }] : [];
  });
  const names = listed.map(({ name }) => name);
  const problems = [
    ...settingNames.filter(name => !names.includes(name)).map(name => `.env.example does not list ${name}`),
    ...names
      .filter(name => !settingNames.some(known => known === name))
      .map(name => `.env.example lists ${name}, which Plat does not use`),
    ...names
      .filter((name, index) => names.indexOf(name) < index)
      .map(name => `.env.example lists ${name} twice`),
  ];
  if (problems.length > 0) return problems;
  if (names.join() !== settingNames.join())
    return [`.env.example is not in the order of shared/platform/config.ts: ${settingNames.join(', ')}`];

  const defaults = loadConfig({});
  return settingNames.flatMap((name, index) => {
    const { value } = listed[index]!;
    try {
      const taken = loadConfig({ [name]: value })[name];
      const fallback = defaults[name];
      return fallback === undefined || taken === fallback
        ? []
        : [`.env.example says ${name}=${value}, but the default is ${fallback}`];
    } catch (error) {
      return [`.env.example: ${error instanceof Error ? error.message : error}`];
    }
  });
}

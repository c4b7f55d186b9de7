let observer: IntersectionObserver | undefined;

export function followTabs(): void {
  observer?.disconnect();
  const tabs = [...document.querySelectorAll<HTMLAnchorElement>('#parcel .tabs a')];
  if (tabs.length === 0) return;
  const parts = tabs.flatMap(tab => document.getElementById(tab.hash.slice(1)) ?? []);
  const inSight = new Set<Element>();
  const mark = () => {
    const first = parts.find(part => inSight.has(part)) ?? parts[0];
    for (const tab of tabs)
      if (tab.hash === `#${first?.id}`) tab.setAttribute('aria-current', 'true');
      else tab.removeAttribute('aria-current');
  };
  observer = new IntersectionObserver(
    entries => {
      for (const { target, isIntersecting } of entries)
        if (isIntersecting) inSight.add(target);
        else inSight.delete(target);
      mark();
    },
    // Observe the area between the tabs and the middle of the window.
    { rootMargin: '-110px 0px -50% 0px' },
  );
  for (const part of parts) observer.observe(part);
  mark();
}

/** Filters of a page, kept in its address and nowhere else. */
import { useNavigate, useSearch } from '@tanstack/react-router'

type Filters = Readonly<Record<string, string>>

/**
 * @param defaults of each filter, which are left out of the address
 * @returns the filters, and a function that sets some of them
 */
export function useFilters<F extends Filters>(
  defaults: F,
): readonly [F, (changes: Partial<F>, how?: { readonly replace?: boolean }) => void] {
  const search: Filters = useSearch({ strict: false })
  const navigate = useNavigate()
  const filters = Object.fromEntries(
    Object.entries(defaults).map(([name, value]) => [name, search[name] ?? value]),
  ) as F
  const set = (changes: Partial<F>, { replace = false } = {}): void => {
    const next = { ...filters, ...changes }
    const given = Object.entries(next).filter(([name, value]) => value !== undefined && value !== defaults[name])
    void navigate({ to: '.', search: () => Object.fromEntries(given), replace } as unknown as Parameters<
      typeof navigate
    >[0])
  }
  return [filters, set]
}

/** The state of the console that its address holds. */
import { useFilters } from '../../parts/filters.ts'

const DEFAULTS = {
  view: 'connect',
  method: 'GET',
  path: 'Patient?_count=20',
  /** A read that another page or the palette asks for. */
  open: '',
  /** An exchange of the journal, whose body is sent again. */
  from: '',
  /** `xml`, of the body and of the response. */
  format: 'json',
  /** The way in which the response is shown. */
  form: 'tree',
  /** The versions that are compared; none: the newest and the one before. */
  before: '',
  after: '',
  /** Not empty: the body is filled in from the template of the type or operation; `run`: and sent. */
  fill: '',
  /** `yes`: the search is shown in parts. */
  build: '',
}

/** Each change names the view, as an address without one may be that of another. */
export function useConsoleFilters(): ReturnType<typeof useFilters<typeof DEFAULTS>> {
  const [filters, setFilters] = useFilters(DEFAULTS)
  return [filters, (changes, how) => setFilters({ view: 'console', ...changes }, how)]
}

/** Links to a request name no view. */
const REQUESTS = ['path', 'open', 'from', 'method']

/** @param filters of an address of the explorer */
export const viewIn = (filters: Readonly<Record<string, string | undefined>>): string =>
  filters.view ?? (REQUESTS.some((name) => name in filters) ? 'console' : DEFAULTS.view)

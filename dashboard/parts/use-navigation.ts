/** The pages of the navigation that are for the user, in its order: also found by the palette. */
import { type NavigationEntry, pages } from '../page-list.ts'
import { useMaybeClinic, useUser } from './clinic-context.tsx'
import { useMayChange } from './use-may-change.ts'

interface NavigationPage extends NavigationEntry {
  readonly path: string
}

export function useNavigation(): readonly NavigationPage[] {
  const isRehearsal = useMaybeClinic()?.isRehearsal === true
  const isAdmin = useMayChange()
  const isOperator = useUser().role === 'operator'
  return pages
    .flatMap(({ path, navigation }) => (navigation === undefined ? [] : [{ path, ...navigation }]))
    .filter(
      (page) =>
        (isRehearsal || page.isRehearsal !== true) &&
        (isAdmin || page.isForAdmins !== true) &&
        (isOperator || page.isForOperators !== true),
    )
}

/** Whether the user may change the sandbox: staff see it. docs/rehearsal.md */
import { useUser } from '../../parts/clinic-context.tsx'

export function useMayChange(): boolean {
  const { role } = useUser()
  return role === 'admin' || role === 'operator'
}

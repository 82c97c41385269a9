/** Whether the user is an admin or an operator, who may change what is rehearsed: staff see it. docs/rehearsal.md */
import { useUser } from './clinic-context.tsx'

export function useMayChange(): boolean {
  const { role } = useUser()
  return role === 'admin' || role === 'operator'
}

/** Leads to another page from code; links are in links.tsx. */
import { useNavigate } from '@tanstack/react-router'

/** Addresses are texts below /dashboard: pages come from a list (page-list.ts). */
export function useGo(): (to: string, search?: Readonly<Record<string, string | undefined>>) => void {
  const navigate = useNavigate()
  return (to, search = {}) => void navigate({ to, search } as unknown as Parameters<typeof navigate>[0])
}

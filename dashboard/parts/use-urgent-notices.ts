/** Notices of the browser for urgent Tasks: off until the user asks for them, and kept for this browser. */
import { useLocalStorage } from '@mantine/hooks'
import { useUser } from './clinic-context.tsx'

/** Whether the user wants them, and a function that asks the browser for its permission. */
export function useUrgentNotices() {
  const { username } = useUser()
  const [isWanted, setWanted] = useLocalStorage({ key: `urgent-notices:${username}`, defaultValue: false })
  const canNotify = 'Notification' in window
  const isOn = isWanted && canNotify && Notification.permission === 'granted'
  const turn = async (on: boolean) => setWanted(on && (await Notification.requestPermission()) === 'granted')
  return { canNotify, isOn, turn }
}

/** The session and the connection, for components. */
import { useSyncExternalStore } from 'react'
import { isConnectionLost, onConnection } from './connection.ts'
import { onSession, type SessionState, sessionState } from './session.ts'

export const useSession = (): SessionState => useSyncExternalStore(onSession, sessionState)

export const useIsConnectionLost = (): boolean => useSyncExternalStore(onConnection, isConnectionLost)

-- Kueue suspends a RayCluster until it is admitted.
hs = {status = "Progressing", message = "starting"}
local state = (obj.status or {}).state
if state == "ready" then
  hs.status = "Healthy"
  hs.message = ""
elseif state == "suspended" then
  hs.status = "Suspended"
  hs.message = "waiting for quota"
elseif state == "failed" then
  hs.status = "Degraded"
  hs.message = obj.status.reason or "failed"
end
return hs

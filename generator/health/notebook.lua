-- A stopped workbench has no pod, and that is what its owner asked for.
hs = {status = "Progressing", message = "starting"}
local annotations = obj.metadata.annotations or {}
if annotations["kubeflow-resource-stopped"] ~= nil then
  hs.status = "Suspended"
  hs.message = "stopped"
  return hs
end
local status = obj.status or {}
if (status.readyReplicas or 0) > 0 then
  hs.status = "Healthy"
  hs.message = ""
elseif (status.containerState or {}).waiting ~= nil then
  local reason = status.containerState.waiting.reason or ""
  hs.message = reason
  if reason == "ImagePullBackOff" or reason == "ErrImagePull" or reason == "CrashLoopBackOff" then
    hs.status = "Degraded"
  end
end
return hs
